#include "table_file.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace peers {

void write_file(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

void write_table(const std::string& file, const std::string& name, const std::string& text) {
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  const std::string old = content.str();
  const std::string first = "<!-- " + name + " begins -->\n", last = "<!-- " + name + " ends -->\n";
  const std::size_t begin = old.find(first), end = old.find(last);
  if (begin == std::string::npos || end == std::string::npos || end < begin) return write_file(file, text);
  write_file(file, old.substr(0, begin + first.size()) + text + old.substr(end));
}

}  // namespace peers

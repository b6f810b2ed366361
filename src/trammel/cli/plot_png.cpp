#include "trammel/cli/plot_png.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "trammel/cli/child_process.h"

namespace trammel {

namespace {

namespace fs = std::filesystem;

// A file of its own for the drawing, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    std::string name = (fs::temp_directory_path() / "trammel-XXXXXX.svg").string();
    const int file = ::mkstemps(name.data(), 4);
    if (file < 0) throw std::runtime_error(fmt::format("cannot write '{}'", name));
    ::close(file);
    path_ = fs::absolute(name);
    std::ofstream out(path_, std::ios::binary);
    out << text;
    out.close();
    if (out) return;
    remove();
    throw std::runtime_error(fmt::format("cannot write '{}'", path_.string()));
  }
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  fs::path path_;
};

}  // namespace

std::string png_of_svg(const std::string& svg, double scale) {
  const std::string program = path_of_program("rsvg-convert");
  if (program.empty())
    throw std::runtime_error("PNG needs rsvg-convert (Debian: apt-get install librsvg2-bin), or write SVG");
  const TemporaryFile drawing(svg);
  const std::vector<std::string> command{program, "--format=png", "--background-color=white",
                                         fmt::format("--zoom={}", scale), drawing.path()};
  ChildAnswer answer = run_child(command, {.timeout = 120});
  if (const std::string trouble = answer.trouble(); !trouble.empty())
    throw std::runtime_error(fmt::format("rsvg-convert {}{}{}", trouble, answer.err.empty() ? "" : ": ",
                                         answer.err.substr(0, answer.err.find('\n'))));
  if (!answer.out.starts_with("\x89PNG")) throw std::runtime_error("rsvg-convert made no PNG");
  return std::move(answer.out);
}

}  // namespace trammel

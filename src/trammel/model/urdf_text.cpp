#include "trammel/model/urdf_text.h"

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <mutex>

#include "trammel/model/text_file.h"

namespace trammel {
namespace {

constexpr int deepest_urdf = 100;

// Keeps what the parser would print, while it lives. The parser gives parts of the file to printf as a
// format: if the file holds a '%', it is not listened to.
class MessageCollector : public console_bridge::OutputHandler {
 public:
  explicit MessageCollector(bool listen) : lock_(mutex()), previous_level_(console_bridge::getLogLevel()) {
    console_bridge::useOutputHandler(this);
    console_bridge::setLogLevel(listen ? console_bridge::CONSOLE_BRIDGE_LOG_ERROR
                                       : console_bridge::CONSOLE_BRIDGE_LOG_NONE);
  }
  ~MessageCollector() override {
    console_bridge::setLogLevel(previous_level_);
    console_bridge::restorePreviousOutputHandler();
  }
  MessageCollector(const MessageCollector&) = delete;
  MessageCollector& operator=(const MessageCollector&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) errors.push_back(text);
  }

  std::vector<std::string> errors;

 private:
  static std::mutex& mutex() {
    static std::mutex only_one;
    return only_one;
  }
  std::lock_guard<std::mutex> lock_;
  console_bridge::LogLevel previous_level_;
};

SourcePlace place_at(const std::string& text, const std::string& file, std::size_t position) {
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(position), '\n');
  const std::size_t line_start = position == 0 ? std::string::npos : text.rfind('\n', position - 1);
  const std::size_t column = line_start == std::string::npos ? position : position - line_start - 1;
  return {file, static_cast<int>(line) + 1, static_cast<int>(column) + 1};
}

// Refuses what the parser would not survive: it descends as deep as elements are nested.
void check_urdf_text(const std::string& text, const std::string& file) {
  check_is_text(text, file);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw ModelError({file}, "the file is empty");
  if (text.find("<!ENTITY") != std::string::npos)
    throw ModelError(place_at(text, file, text.find("<!ENTITY")), "a URDF file must not define entities");
  int depth = 0;
  for (std::size_t i = text.find('<'); i != std::string::npos; i = text.find('<', i + 1)) {
    if (text.compare(i, 4, "<!--") == 0) {
      i = text.find("-->", i);
      if (i == std::string::npos) throw ModelError({file}, "a comment is not closed");
      continue;
    }
    if (i + 1 < text.size() && (text[i + 1] == '!' || text[i + 1] == '?')) continue;
    const std::size_t close = std::min(text.find('>', i), text.size());
    const bool ends = i + 1 < text.size() && text[i + 1] == '/';
    const bool empty = close > 0 && text[close - 1] == '/';
    depth += ends ? -1 : empty ? 0 : 1;
    if (depth > deepest_urdf)
      throw ModelError(place_at(text, file, i),
                       fmt::format("elements are nested more than {} deep here", deepest_urdf));
  }
}

}  // namespace

SourcePlace place_in_urdf(const std::string& text, const std::string& file, const std::string& element,
                          const std::string& name) {
  for (std::size_t i = text.find("<" + element); i != std::string::npos;
       i = text.find("<" + element, i + 1)) {
    const std::string tag = text.substr(i, text.find('>', i) - i);
    for (const char quote : {'"', '\''})
      if (tag.find(fmt::format("name={0}{1}{0}", quote, name)) != std::string::npos)
        return place_at(text, file, i);
  }
  return {file};
}

std::shared_ptr<urdf::ModelInterface> parse_urdf(const std::string& text, const std::string& file,
                                                 std::vector<std::string>& complaints) {
  check_urdf_text(text, file);
  const bool may_hold_percent = text.find('%') != std::string::npos || text.find("&#") != std::string::npos;
  MessageCollector messages(!may_hold_percent);
  std::shared_ptr<urdf::ModelInterface> robot;
  try {
    robot = urdf::parseURDF(text);
  } catch (const std::exception& error) {
    throw ModelError({file}, fmt::format("this is not a URDF file: {}", error.what()));
  }
  if (!robot || !robot->getRoot())
    throw ModelError({file}, fmt::format("this is not a URDF file{}",
                                         messages.errors.empty() ? "" : ": " + messages.errors[0]));
  complaints.insert(complaints.end(), messages.errors.begin(), messages.errors.end());
  return robot;
}

}  // namespace trammel

#include "trammel/model/xml_tree.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>

#include "trammel/model/text_file.h"

namespace trammel {
namespace {

constexpr std::size_t deepest_xml = 100;

// Comments are left out beforehand, since real files write '--' in them, and so is the line `<?xml ...?>`,
// which need not be the first in real files; places stay as they are.
void blank_out(std::string& text, const std::string& begin, const std::string& end, std::size_t from,
               std::size_t& after) {
  after = text.find(end, from + begin.size());
  if (after == std::string::npos) return;
  after += end.size();
  for (std::size_t i = from; i < after; ++i)
    if (text[i] != '\n') text[i] = ' ';
}

class XmlReader {
 public:
  XmlReader(std::string text, const std::string& file) : text_(std::move(text)), file_(file) {
    for (std::size_t i = 0; i < text_.size(); ++i)
      if (text_[i] == '\n') line_starts_.push_back(i + 1);
    if (text_.find_first_not_of(" \t\r\n") == std::string::npos)
      throw ModelError({file}, "the file is empty");
    leave_out_comments();
    check_is_text(text_, file);
    if (const std::size_t entity = text_.find("<!ENTITY"); entity != std::string::npos)
      throw ModelError(place(entity), "the file must not define entities");
  }

  XmlElement read() {
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate("UTF-8"),
                                                                              &XML_ParserFree);
    if (!parser) throw std::bad_alloc();
    parser_ = parser.get();
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(parser_, &XmlReader::on_start, &XmlReader::on_end);
    const XML_Status status = XML_Parse(parser_, text_.data(), static_cast<int>(text_.size()), XML_TRUE);
    // what was thrown in a handler, which is called from C
    if (thrown_) std::rethrow_exception(thrown_);
    if (status != XML_STATUS_OK) fail();
    return std::move(root_);
  }

 private:
  SourcePlace place(std::size_t offset) const {
    const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
    return {file_, static_cast<int>(after - line_starts_.begin()),
            static_cast<int>(offset - *(after - 1)) + 1};
  }

  void leave_out_comments() {
    std::size_t after = 0;
    for (std::size_t i = text_.find("<!--"); i != std::string::npos; i = text_.find("<!--", after)) {
      blank_out(text_, "<!--", "-->", i, after);
      if (after == std::string::npos) throw ModelError(place(i), "this comment is not closed");
    }
    if (const std::size_t i = text_.find("<?xml "); i != std::string::npos)
      blank_out(text_, "<?xml", "?>", i, after);
  }

  [[noreturn]] void fail() const {
    const auto at = std::min(
        static_cast<std::size_t>(std::max<XML_Index>(XML_GetCurrentByteIndex(parser_), 0)), text_.size());
    const XML_Error error = XML_GetErrorCode(parser_);
    std::string message = fmt::format("this is not XML: {}", XML_ErrorString(error));
    if (!open_.empty())
      message += fmt::format("; <{}> of line {} is open here", open_.back().name, open_.back().place.line);
    throw ModelError(place(at), message);
  }

  // Where the values of the attributes of the tag that begins here stand.
  void find_attributes(std::size_t offset, XmlElement& element) const {
    std::size_t i = text_.find_first_of(" \t\r\n/>", offset);
    for (XmlElement::Attribute& attribute : element.attributes) {
      const std::size_t name = text_.find_first_not_of(" \t\r\n", i);
      const std::size_t quote = text_.find_first_of("\"'", name);
      if (name == std::string::npos || quote == std::string::npos) return;
      attribute.place = place(name);
      i = std::min(text_.find(text_[quote], quote + 1), text_.size() - 1) + 1;
    }
  }

  void start(const char* name, const char** attributes) {
    const auto offset = static_cast<std::size_t>(XML_GetCurrentByteIndex(parser_));
    XmlElement element;
    element.name = name;
    element.place = place(offset);
    for (; *attributes; attributes += 2)
      element.attributes.push_back({attributes[0], attributes[1], element.place});
    find_attributes(offset, element);
    if (open_.size() >= deepest_xml)
      throw ModelError(element.place, fmt::format("elements are nested more than {} deep here", deepest_xml));
    open_.push_back(std::move(element));
  }

  void end() {
    XmlElement element = std::move(open_.back());
    open_.pop_back();
    (open_.empty() ? root_ : open_.back().children.emplace_back()) = std::move(element);
  }

  template <class Work>
  void guarded(const Work& work) {
    if (thrown_) return;
    try {
      work();
    } catch (...) {
      thrown_ = std::current_exception();
      XML_StopParser(parser_, XML_FALSE);
    }
  }
  static void on_start(void* self, const char* name, const char** attributes) {
    auto* reader = static_cast<XmlReader*>(self);
    reader->guarded([&] { reader->start(name, attributes); });
  }
  static void on_end(void* self, const char*) {
    auto* reader = static_cast<XmlReader*>(self);
    reader->guarded([&] { reader->end(); });
  }

  std::string text_;
  const std::string& file_;
  std::vector<std::size_t> line_starts_{0};
  XML_Parser parser_ = nullptr;
  std::vector<XmlElement> open_;
  XmlElement root_;
  std::exception_ptr thrown_;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const XmlElement& element : children)
    if (element.name == wanted) return &element;
  return nullptr;
}

const XmlElement::Attribute* XmlElement::attribute(std::string_view wanted) const {
  for (const Attribute& candidate : attributes)
    if (candidate.name == wanted) return &candidate;
  return nullptr;
}

XmlElement parse_xml(const std::string& text, const std::string& file) {
  // without the byte order mark, which would shift the columns
  return XmlReader(text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text, file).read();
}

}  // namespace trammel

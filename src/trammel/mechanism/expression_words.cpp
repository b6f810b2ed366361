#include "trammel/mechanism/expression_words.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "trammel/mechanism/expression_parser.h"

namespace trammel::language {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// bytes above 127 belong to letters of other alphabets
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) > 127;
}
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {
    while (true) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      Word word;
      word.column = at_;
      if (at_ < text_.size()) {
        if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1))))
          read_number(word);
        else if (is_letter(peek()) || peek() == '\'')
          read_name(word);
        else
          read_symbol(word);
      }
      word.end = at_;
      list.push_back(word);
      if (word.kind == Word::Kind::end) return;
    }
  }

  std::vector<Word> list;

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void read_number(Word& word) {
    word.kind = Word::Kind::number;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), word.number);
    if (error == std::errc::result_out_of_range)
      throw ExpressionError("this number is too large or too small", at_);
    at_ = static_cast<std::size_t>(end - text_.data());
  }

  // pieces joined by dots, each a plain word or in quotes
  void read_name(Word& word) {
    word.kind = Word::Kind::name;
    while (true) {
      const std::size_t start = at_;
      if (peek() == '\'') {
        const std::size_t close = text_.find('\'', at_ + 1);
        if (close == std::string_view::npos) throw ExpressionError("the quote ' is not closed", start);
        if (close == start + 1) throw ExpressionError("a name in quotes is empty", start);
        word.text += text_.substr(start + 1, close - start - 1);
        word.quoted = true;
        at_ = close + 1;
      } else {
        while (is_letter(peek()) || is_digit(peek())) ++at_;
        if (at_ == start) throw ExpressionError("a name cannot end with a dot", start - 1);
        word.text += text_.substr(start, at_ - start);
      }
      if (peek() != '.') return;
      word.text += '.';
      ++at_;
    }
  }

  void read_symbol(Word& word) {
    word.kind = Word::Kind::symbol;
    for (const std::string_view symbol : {"**", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "^",
                                          "<",  ">",  "(",  ")",  "[",  "]",  "?",  ":", ",", "=", "!"})
      if (text_.substr(at_).starts_with(symbol)) {
        word.text = symbol;
        at_ += symbol.size();
        break;
      }
    if (word.text == "&&") throw ExpressionError("'&&' is written 'and'", word.column);
    if (word.text == "||") throw ExpressionError("'||' is written 'or'", word.column);
    if (word.text == "!") throw ExpressionError("'!' is written 'not'", word.column);
    if (word.text == "=") throw ExpressionError("'=' is not an operator; '==' compares", word.column);
    if (word.text == "**") word.text = "^";
    if (!word.text.empty()) return;
    if (peek() > ' ' && peek() != '\x7f')
      throw ExpressionError(fmt::format("'{}' has no meaning here", peek()), word.column);
    throw ExpressionError("there is a control character here", word.column);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Word> words_of(std::string_view text) { return Words(text).list; }

std::size_t end_of_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || first > 0xF4 || i + length > text.size()) return i;
    for (std::size_t j = 1; j < length; ++j)
      if ((static_cast<unsigned char>(text[i + j]) & 0xC0) != 0x80) return i;
    // the overlong, the surrogates and what lies beyond Unicode
    const auto second = length > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F))
      return i;
    i += length;
  }
  return text.size();
}

}  // namespace trammel::language

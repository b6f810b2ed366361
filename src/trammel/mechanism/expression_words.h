// Expressions as a list of words, before there is any grammar.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace trammel::language {

struct Word {
  enum class Kind { end, number, name, symbol };

  Kind kind = Kind::end;
  std::size_t column = 0, end = 0;
  std::string text;  // of a name without its quotes
  bool quoted = false;
  double number = 0;
};

// Ends with one of the kind `end`. Throws ExpressionError.
std::vector<Word> words_of(std::string_view text);

// Where the text stops being UTF-8, so that every message that quotes it can be shown; its size if it is.
std::size_t end_of_utf8(std::string_view text);

}  // namespace trammel::language

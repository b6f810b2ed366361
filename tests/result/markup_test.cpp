// No text of a user's leaves the place it was put in.
#include "trammel/result/markup.h"

#include <gtest/gtest.h>

namespace trammel {
namespace {

TEST(Markup, EscapesWhatMarkupUses) {
  EXPECT_EQ(escape_markup("<b a=\"1\" c='2'>&amp;"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;");
  EXPECT_EQ(escape_markup("φ λ₁ 𝛼 \t\n"), "φ λ₁ 𝛼 \t\n");
}

TEST(Markup, ReplacesWhatXmlCannotHold) {
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_markup(std::string("a\0b", 3)), "a" + replaced + "b");
  EXPECT_EQ(escape_markup("\x1b"), replaced);
  EXPECT_EQ(escape_markup("\xFF"), replaced);
  EXPECT_EQ(escape_markup("x\xC3"), "x" + replaced);                         // cut short
  EXPECT_EQ(escape_markup("\xC0\xBC"), replaced + replaced);                 // '<' in two bytes
  EXPECT_EQ(escape_markup("\xED\xA0\x80"), replaced + replaced + replaced);  // surrogate
  EXPECT_EQ(escape_markup("\xEF\xBF\xBE"), replaced + replaced + replaced);  // U+FFFE
  EXPECT_EQ(escape_markup("\xF4\x90\x80\x80").find_first_of("\xF4\x90"),
            std::string::npos);  // beyond Unicode
}

TEST(Markup, ShortensByCharacters) {
  EXPECT_EQ(count_characters("λ₁x"), 3u);
  EXPECT_EQ(shorten("λ₁x", 3), "λ₁x");
  EXPECT_EQ(shorten("λ₁xy", 3), "λ₁…");
  EXPECT_EQ(shorten("", 3), "");
}

}  // namespace
}  // namespace trammel

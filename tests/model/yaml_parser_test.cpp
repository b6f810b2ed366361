// YAML text as a tree with places, and what is refused of it.
#include <gtest/gtest.h>

#include "trammel/model/model_node.h"

namespace trammel {
namespace {

std::string fault_of(const std::string& text) {
  try {
    parse_yaml(text, "m.yaml");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no error";
}

TEST(YamlParser, KnowsWhereWordsBegin) {
  const ModelNode root =
      parse_yaml("a: 1\nb: \"two\"\nc:\n  - 'x'\n  - &anchor y\nd: |\n   text\n", "m.yaml");
  const auto place = [](const ModelNode& node) { return std::pair(node.line, node.column); };
  EXPECT_EQ(place(*root.find("a")), std::pair(1, 4));
  EXPECT_EQ(place(*root.find("b")), std::pair(2, 5)) << "behind the quote";
  EXPECT_EQ(place(root.find("c")->items[0]), std::pair(4, 6));
  EXPECT_EQ(place(root.find("c")->items[1]), std::pair(5, 13)) << "behind the anchor";
  EXPECT_EQ(place(*root.find("d")), std::pair(7, 4)) << "in the next line";
  EXPECT_EQ(root.find("d")->place().text(), "m.yaml:7:4");
}

TEST(YamlParser, KeepsKeysInOrderAndWordsAsTheyAre) {
  const ModelNode root = parse_yaml("yes: no\nz: ~\non: 010\n", "m.yaml");
  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(root.entries[0].key.text, "yes");
  EXPECT_EQ(root.entries[0].value.text, "no");
  EXPECT_EQ(root.entries[1].value.kind, ModelNode::Kind::nothing);
  EXPECT_EQ(root.entries[2].value.text, "010");
}

TEST(YamlParser, AliasesAndMergeKeys) {
  const ModelNode root = parse_yaml("a: &a {k: 1, l: 2}\nb: {<<: *a, l: 3}\nc: *a\n", "m.yaml");
  const ModelNode& b = *root.find("b");
  ASSERT_EQ(b.entries.size(), 2U);
  EXPECT_EQ(b.find("k")->text, "1");
  EXPECT_EQ(b.find("l")->text, "3");
  EXPECT_EQ(root.find("c")->find("l")->text, "2");
}

TEST(YamlParser, ByteOrderMarkAndLineEndsDoNotMatter) {
  const ModelNode root = parse_yaml("\xEF\xBB\xBFkey: value\r\nother: 2\r\n", "m.yaml");
  EXPECT_EQ(root.find("key")->column, 6);
  EXPECT_EQ(root.find("other")->text, "2");
  EXPECT_EQ(root.find("other")->line, 2);
}

TEST(YamlParser, NamesWhatIsWrong) {
  EXPECT_EQ(fault_of(""), "m.yaml: the file is empty");
  EXPECT_EQ(fault_of("# a comment\n"), "m.yaml: the file is empty");
  EXPECT_EQ(fault_of("a: 1\nb: 2\na: 3\n"), "m.yaml:3:1: the key 'a' stands here twice, first in line 1");
  EXPECT_EQ(fault_of("a: {k: 1, k: 2}\n"), "m.yaml:1:11: the key 'k' stands here twice, first in line 1");
  EXPECT_EQ(fault_of("a: 'text\n"), "m.yaml:1:4: the quote that begins here is not closed");
  EXPECT_EQ(fault_of("a: \"text\\\"\nb: 3\n"), "m.yaml:1:4: the quote that begins here is not closed");
  EXPECT_EQ(fault_of("a: 'it''s'\nb: \"\\\"\"\n"), "no error");
  EXPECT_EQ(fault_of("a: b: c\n"), "m.yaml:1:5: there is a ':' too many; text with a ':' in it needs quotes");
  EXPECT_EQ(fault_of("a:\n  b: 1\n c: 2\n"),
            "m.yaml:3:2: this line does not belong to what stands above it; is it indented as that is?");
  EXPECT_NE(fault_of("a: [1, 2\nb: 3\n").find("a '[' is not closed"), std::string::npos);
  EXPECT_EQ(fault_of("a: 1\n---\nb: 2\n"),
            "m.yaml:2:1: a second document begins here ('---'); a model file has one");
  EXPECT_EQ(fault_of("a: [1]]\n"), "m.yaml:1:7: there is a ']' or '}' too many");
  EXPECT_EQ(fault_of("{[1]: 2}\n"), "m.yaml:1:2: a key is a word, not a list of 1");
  EXPECT_EQ(fault_of("a: !thing 3\n"), "m.yaml:1:4: the YAML tag '!thing' has no meaning in a model file");
  EXPECT_EQ(fault_of("a: &a [*a]\n"), "m.yaml:1:8: this alias stands inside of what it stands for");
  EXPECT_EQ(fault_of("a: {<<: 3}\n"), "m.yaml:1:5: '<<' takes a map or a list of maps, not '3'");
}

TEST(YamlParser, RefusesWhatIsNotText) {
  EXPECT_EQ(fault_of(std::string("a: 1\nb\0c", 8)),
            "m.yaml:2:2: this is not a text in UTF-8: there is a byte 0x00 here");
  EXPECT_EQ(fault_of("\xff\xfe\x41"), "m.yaml:1:1: this is not a text in UTF-8: there is a byte 0xff here");
  EXPECT_EQ(fault_of("name: \xc3\xa4\nbad: \xc3("),
            "m.yaml:2:6: this is not a text in UTF-8: there is a byte 0xc3 here");
}

TEST(YamlParser, DeepNestingIsRefusedAndDoesNoHarm) {
  std::string steps;
  for (int i = 0; i < 1000; ++i) steps += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  for (const std::string& text :
       {std::string(20000, '['), std::string(20000, '{'), steps, std::string(20000, '-')})
    EXPECT_NO_THROW(fault_of(text));
  EXPECT_EQ(fault_of(steps), "m.yaml:101:101: lists and maps are nested more than 100 deep here");
  std::string dashes;
  for (int i = 0; i < 20000; ++i) dashes += "- ";
  EXPECT_EQ(fault_of(dashes), "m.yaml:1:201: lists and maps are nested more than 100 deep here");
}

TEST(YamlParser, AliasesThatMultiplyAreRefused) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) text += (j > 0 ? ", *a" : "*a") + std::to_string(i - 1);
    text += "]\n";
  }
  EXPECT_NE(fault_of(text).find("more than 1000000 words, lists and maps"), std::string::npos);
}

}  // namespace
}  // namespace trammel

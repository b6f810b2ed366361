// The schema for editors and the reader know the same keys.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "trammel/mechanism/mechanism.h"
#include "trammel/model/model_keys.h"

namespace trammel {
namespace {

const nlohmann::json& schema() {
  static const nlohmann::json parsed = [] {
    std::ifstream stream(TRAMMEL_SOURCE_DIR "/schema/model.schema.json");
    return nlohmann::json::parse(stream);
  }();
  return parsed;
}

const nlohmann::json& definition(const std::string& name) {
  return name == "model" ? schema() : schema().at("definitions").at(name);
}

TEST(Schema, HasTheKeysOfTheReader) {
  for (const KeySet& set : model_key_sets()) {
    ASSERT_TRUE(set.name == "model" || schema().at("definitions").contains(set.name)) << set.name;
    const nlohmann::json& described = definition(set.name);
    std::set<std::string> in_schema, in_reader, required_in_schema, required_in_reader;
    for (const auto& [key, value] : described.at("properties").items()) in_schema.insert(key);
    if (described.contains("required"))
      for (const auto& key : described.at("required")) required_in_schema.insert(key);
    for (const KeySet::Key& key : set.keys) {
      in_reader.insert(key.name);
      if (key.required) required_in_reader.insert(key.name);
    }
    EXPECT_EQ(in_schema, in_reader) << set.name;
    EXPECT_EQ(required_in_schema, required_in_reader) << set.name;
    EXPECT_EQ(described.at("additionalProperties"), false) << set.name;
  }
}

TEST(Schema, HasNoMapsThatTheReaderDoesNotKnow) {
  std::set<std::string> known = {"coupler", "force", "road"};  // which lead to those of their types
  for (const KeySet& set : model_key_sets()) known.insert(set.name);
  for (const auto& [name, value] : schema().at("definitions").items())
    EXPECT_TRUE(!value.contains("properties") || known.contains(name)) << name;
}

TEST(Schema, DescribesEveryKey) {
  for (const KeySet& set : model_key_sets()) {
    EXPECT_TRUE(definition(set.name).contains("description")) << set.name;
    for (const auto& [key, value] : definition(set.name).at("properties").items()) {
      const nlohmann::json* described = &value;
      if (value.contains("$ref")) {
        const std::string reference = value.at("$ref");
        described = &schema().at(nlohmann::json::json_pointer(reference.substr(1)));
      }
      EXPECT_TRUE(described->contains("description")) << set.name << "." << key;
    }
  }
}

TEST(Schema, AllReferencesLeadSomewhere) {
  const std::function<void(const nlohmann::json&)> follow = [&](const nlohmann::json& node) {
    if (node.is_object() && node.contains("$ref")) {
      const std::string reference = node.at("$ref");
      EXPECT_TRUE(schema().contains(nlohmann::json::json_pointer(reference.substr(1)))) << reference;
    }
    for (const auto& child : node)
      if (child.is_structured()) follow(child);
  };
  follow(schema());
}

TEST(Schema, HasTheTypesOfTheReader) {
  const auto types = [](const std::string& name) {
    return definition(name).at("properties").at("type").at("enum").get<std::vector<std::string>>();
  };
  std::vector<std::string> joints;
  for (const auto& [name, type] : joint_types()) joints.push_back(name);
  EXPECT_EQ(types("joint"), joints);
  EXPECT_EQ(types("force"), force_types());
  EXPECT_EQ(types("coupler"), coupler_types());
  EXPECT_EQ(types("road"), road_types());
  for (const std::string kind : {"force", "coupler", "road"})
    EXPECT_EQ(definition(kind).at("allOf").size(), types(kind).size()) << kind;
}

}  // namespace
}  // namespace trammel

// An XML file as a tree of elements that know where they were written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trammel/mechanism/place.h"

namespace trammel {

struct XmlElement {
  struct Attribute {
    std::string name, value;
    SourcePlace place;
  };

  std::string name;
  SourcePlace place;
  std::vector<Attribute> attributes;
  std::vector<XmlElement> children;

  // The first of this name; null if there is none.
  const XmlElement* child(std::string_view name) const;
  const Attribute* attribute(std::string_view name) const;
};

// The root element; texts between elements are left out. Throws ModelError where the text is not XML, defines
// entities, or is nested too deep.
XmlElement parse_xml(const std::string& text, const std::string& file);

}  // namespace trammel

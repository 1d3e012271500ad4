#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// An element of an XML document. Names have no namespace prefix: y:NodeLabel is NodeLabel.
struct XmlElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  ///< its own, in one line
  std::vector<XmlElement> children;

  /// The attribute's value; empty if it is not there.
  std::string attribute(const std::string& of) const;
  /// The first child of that name; null if there is none.
  const XmlElement* child(std::string_view of) const;
  /// The first element of that name below this one, however deep; null if there is none.
  const XmlElement* descendant(std::string_view of) const;
};

/// Returns the root element. Misuse, which begins with `format`, for a syntax error, for elements that are
/// nested more than 1000 deep, and for a document type with declarations of its own.
XmlElement parse_xml(std::string_view text, const std::string& format);

}  // namespace hearsay

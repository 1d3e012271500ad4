#include "topology/xml_element.hpp"

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "topology/drawn_attributes.hpp"
#include "topology/drawn_names.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

using XmlTree = boost::property_tree::ptree;

std::string without_prefix(const std::string& name) { return name.substr(name.rfind(':') + 1); }

XmlElement element_of(const std::string& name, const XmlTree& tree) {
  XmlElement element{without_prefix(name), {}, in_one_line(tree.data()), {}};
  for (const auto& [tag, below] : tree) {
    if (tag == "<xmlattr>")
      for (const auto& [attribute, value] : below) element.attributes[attribute] = value.data();
    else if (tag != "<xmlcomment>")
      element.children.push_back(element_of(tag, below));
  }
  return element;
}

/// Returns the position right after the next occurrence of `end`; the text's size if there is none.
std::size_t behind(std::string_view text, std::size_t from, std::string_view end) {
  const std::size_t at = text.find(end, from);
  return at == text.npos ? text.size() : at + end.size();
}

/// Misuse if elements are nested more than 1000 deep: Boost's parser recurses into every element, so that a
/// hostile file could exhaust the stack. Markup in comments, CDATA, instructions and quoted attributes does
/// not count.
void refuse_deep_xml(std::string_view text, const std::string& format) {
  std::size_t depth = 0;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      at = behind(text, at + 4, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      at = behind(text, at, "]]>");
    } else if (rest.starts_with("<?")) {
      at = behind(text, at, "?>");
    } else if (rest.starts_with("<!")) {
      at = behind(text, at, ">");
      if (rest.substr(0, at - (text.size() - rest.size())).find('[') != rest.npos)
        throw Misuse(format + ": a document type with declarations of its own is not read");
    } else if (rest.starts_with("</")) {
      depth -= std::min<std::size_t>(depth, 1);
      at = behind(text, at, ">");
    } else {
      char quote = 0;
      for (++at; at < text.size() && (quote != 0 || text[at] != '>'); ++at) {
        if (text[at] == quote)
          quote = 0;
        else if (quote == 0 && (text[at] == '"' || text[at] == '\''))
          quote = text[at];
      }
      if (text[at - 1] != '/' && ++depth > 1000) throw Misuse(format + ": elements more than 1000 deep");
    }
  }
}

}  // namespace

std::string XmlElement::attribute(const std::string& of) const {
  const auto found = attributes.find(of);
  return found == attributes.end() ? "" : found->second;
}

const XmlElement* XmlElement::child(std::string_view of) const {
  const auto found = std::ranges::find(children, of, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

const XmlElement* XmlElement::descendant(std::string_view of) const {
  for (const XmlElement& below : children) {
    if (below.name == of) return &below;
    if (const XmlElement* const deeper = below.descendant(of)) return deeper;
  }
  return nullptr;
}

XmlElement parse_xml(std::string_view text, const std::string& format) {
  refuse_deep_xml(text, format);
  std::istringstream in{with_line_feeds(text)};
  XmlTree tree;
  try {
    boost::property_tree::read_xml(in, tree, boost::property_tree::xml_parser::trim_whitespace);
  } catch (const boost::property_tree::xml_parser_error& error) {
    throw Misuse(format + ", line " + std::to_string(error.line()) + ": " + error.message());
  }
  for (const auto& [tag, root] : tree)
    if (tag != "<xmlcomment>") return element_of(tag, root);
  throw Misuse(format + ": there is no element in it");
}

}  // namespace hearsay

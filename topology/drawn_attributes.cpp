#include "topology/drawn_attributes.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace hearsay {
namespace {

constexpr std::array<std::string_view, 8> read_attributes = {
    "weight", "latency", "bandwidth", "address", "Latitude", "Longitude", "LinkSpeedRaw", "label"};

bool same_but_for_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::string attribute_name(const std::string& name) {
  const auto found = std::ranges::find_if(
      read_attributes, [&](std::string_view ours) { return same_but_for_case(ours, name); });
  return found == read_attributes.end() ? name : std::string(*found);
}

bool is_ours(const std::string& name) {
  return std::ranges::find(read_attributes, attribute_name(name)) != read_attributes.end();
}

std::string attribute_of(const std::map<std::string, std::string>& attributes, const std::string& name) {
  if (const auto exact = attributes.find(name); exact != attributes.end()) return exact->second;
  const auto found = std::ranges::find_if(
      attributes, [&](const auto& attribute) { return attribute_name(attribute.first) == name; });
  return found == attributes.end() ? "" : found->second;
}

std::string with_line_feeds(std::string_view text) {
  std::string changed;
  changed.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] != '\r')
      changed += text[at];
    else if (!text.substr(at + 1).starts_with('\n'))
      changed += '\n';
  return changed;
}

}  // namespace hearsay

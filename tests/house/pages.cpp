#include "tests/house/pages.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

namespace hearsay {

namespace {

/// Returns the anchor of a heading: "How do I ..., or add it?" has the anchor how-do-i--or-add-it.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char character : heading.substr(heading.find_first_not_of("# "))) {
    const auto byte = static_cast<unsigned char>(character);
    if (std::isalnum(byte) || character == '-' || character == '_' || byte >= 128)
      anchor += static_cast<char>(std::tolower(byte));
    else if (character == ' ')
      anchor += '-';
  }
  return anchor;
}

/// The project's files and folders, and the anchors of its pages.
struct Places {
  std::set<std::string> paths;
  std::map<std::string, std::set<std::string>> anchors;  // by page
};

Places places_of(const SourceTree& tree) {
  Places places;
  places.paths.insert(tree.top_level.begin(), tree.top_level.end());
  for (const SourceFile& file : tree.files) {
    for (std::size_t slash = file.path.find('/'); slash != file.path.npos;
         slash = file.path.find('/', slash + 1))
      places.paths.insert(file.path.substr(0, slash));
    places.paths.insert(file.path);
    if (!file.path.ends_with(".md")) continue;
    bool in_block = false;
    for (const std::string& line : file.lines) {
      if (line.starts_with("```")) in_block = !in_block;
      if (!in_block && line.starts_with("#")) places.anchors[file.path].insert(anchor_of(line));
    }
  }
  return places;
}

/// Whether a link from the page leads to a place of the project, or out of it. Pictures are not looked for:
/// the tree has texts only.
bool leads_somewhere(const Places& places, const std::string& page, const std::string& link) {
  if (link.starts_with("http://") || link.starts_with("https://") || link.ends_with(".png")) return true;
  const std::size_t hash = std::min(link.find('#'), link.size());
  const std::filesystem::path folder = std::filesystem::path(page).parent_path();
  std::string path = hash == 0 ? page : (folder / link.substr(0, hash)).lexically_normal().generic_string();
  if (path.ends_with('/')) path.pop_back();
  if (hash == link.size()) return places.paths.contains(path);
  const auto anchors = places.anchors.find(path);
  return anchors != places.anchors.end() && anchors->second.contains(link.substr(hash + 1));
}

}  // namespace

Violations front_page_is_short(const SourceTree& tree) {
  constexpr std::size_t most_lines = 200;
  Violations found;
  for (const SourceFile& file : tree.files)
    if (file.path == "README.md" && file.lines.size() > most_lines)
      found.push_back(at(file, most_lines, std::to_string(file.lines.size()) + " lines, 200 are allowed"));
  return found;
}

Violations links_lead_somewhere(const SourceTree& tree) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  const Places places = places_of(tree);
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.path.ends_with(".md")) continue;
    for (std::size_t k = 0; k < file.lines.size(); ++k)
      for (std::sregex_iterator match(file.lines[k].begin(), file.lines[k].end(), link), end; match != end;
           ++match)
        if (!leads_somewhere(places, file.path, (*match)[1]))
          found.push_back(at(file, k, (*match)[1].str() + " leads nowhere"));
  }
  return found;
}

}  // namespace hearsay

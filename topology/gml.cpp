#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "topology/drawn_attributes.hpp"
#include "topology/drawn_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/interchange.hpp"

namespace hearsay {
namespace {

/// A key of GML with its value: text, or a list in brackets.
struct GmlEntry {
  std::string key;
  std::string text;
  std::vector<GmlEntry> list;

  /// Capitals of our attributes do not count, but our spelling goes first.
  const GmlEntry* find(std::string_view of) const {
    auto found = std::ranges::find(list, of, &GmlEntry::key);
    if (found == list.end())
      found =
          std::ranges::find_if(list, [&](const GmlEntry& entry) { return attribute_name(entry.key) == of; });
    return found == list.end() ? nullptr : &*found;
  }
  std::string value(std::string_view of) const {
    const GmlEntry* const entry = find(of);
    return entry ? entry->text : "";
  }
};

/// Returns the text with &#233; and &amp; as the letters that they stand for.
std::string without_entities(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t end = text.starts_with("&") ? text.find(';') : text.npos;
    const std::string_view entity = end == text.npos ? "" : text.substr(1, end - 1);
    std::uint64_t code = 0;
    std::string letters;
    if (entity == "quot") letters = "\"";
    if (entity == "amp") letters = "&";
    if (entity == "lt") letters = "<";
    if (entity == "gt") letters = ">";
    if (entity == "apos") letters = "'";
    if (entity.starts_with("#") && parse_whole(entity.substr(1), code) && code > 0 && code < 0x110000 &&
        (code < 0xd800 || code >= 0xe000)) {
      const auto add = [&](std::uint64_t byte) { letters += static_cast<char>(byte); };
      if (code < 0x80) {
        add(code);
      } else if (code < 0x800) {
        add(0xc0 | (code >> 6));
        add(0x80 | (code & 0x3f));
      } else {
        add(code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18));
        if (code >= 0x10000) add(0x80 | ((code >> 12) & 0x3f));
        add(0x80 | ((code >> 6) & 0x3f));
        add(0x80 | (code & 0x3f));
      }
    }
    plain += letters.empty() ? std::string(1, text.front()) : letters;
    text.remove_prefix(letters.empty() ? 1 : end + 1);
  }
  return plain;
}

class GmlReader {
 public:
  explicit GmlReader(std::string_view text) : text_(text) {}

  GmlEntry read() {
    GmlEntry document;
    read_list(document, 0);
    return document;
  }

 private:
  static constexpr int deepest = 1000;  // the reader calls itself for every list

  [[noreturn]] void refuse(const std::string& expected) const {
    const auto line = std::ranges::count(text_.substr(0, at_), '\n') + 1;
    throw Misuse("GML, line " + std::to_string(line) + ": expected " + expected);
  }

  /// True if there is another token; `at_` is then where it begins.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      const bool at_line = at_ == 0 || text_[at_ - 1] == '\n';
      if (at_line && text_[at_] == '#')
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
        ++at_;
      else
        return true;
    }
    return false;
  }

  std::string read_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) == 0 &&
           std::string_view("[]\"").find(text_[at_]) == std::string_view::npos)
      ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  void read_list(GmlEntry& into, int depth) {
    if (depth > deepest) throw Misuse("GML: lists more than 1000 deep");
    while (skip_blanks() && text_[at_] != ']') {
      GmlEntry entry;
      entry.key = read_word();
      if (entry.key.empty() || !skip_blanks()) refuse("a key and its value");
      if (text_[at_] == '[') {
        ++at_;
        read_list(entry, depth + 1);
        if (!skip_blanks()) refuse("] before the end");
        ++at_;
      } else if (text_[at_] == '"') {
        const std::size_t end = text_.find('"', at_ + 1);
        if (end == text_.npos) refuse("a quote that ends the text");
        entry.text = without_entities(text_.substr(at_ + 1, end - at_ - 1));
        at_ = end + 1;
      } else {
        entry.text = read_word();
        // A number may have a sign: +2 is node 2.
        if (entry.text.size() > 1 && entry.text[0] == '+' && entry.text[1] >= '0' && entry.text[1] <= '9')
          entry.text.erase(0, 1);
      }
      into.list.push_back(std::move(entry));
    }
    if (depth == 0 && at_ < text_.size()) refuse("the end, not ]");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Misuse if a node or an edge says twice what we read.
void refuse_repeated_gml(const GmlEntry& entry) {
  std::set<std::string_view> seen;
  for (const GmlEntry& inside : entry.list) {
    const std::string& key = inside.key;
    const bool read = is_ours(key) || key == "id" || key == "name" || key == "source" || key == "target";
    if (read && !seen.insert(key).second)
      throw Misuse("GML: " + inside.key + " is there twice in one " + entry.key + "; expected it once");
  }
}

/// Where yEd draws arrow heads; else the direction that the edge has.
ArrowHeads gml_heads(const GmlEntry& edge, bool directed, bool by_yed) {
  if (!directed) return ArrowHeads::undirected;
  const GmlEntry* const graphics = edge.find("graphics");
  if (!by_yed || !graphics) return ArrowHeads::at_target;
  const bool at_source = graphics->find("sourceArrow") != nullptr;
  const bool at_target = graphics->find("targetArrow") != nullptr;
  if (at_source) return at_target ? ArrowHeads::at_both : ArrowHeads::at_source;
  return at_target ? ArrowHeads::at_target : ArrowHeads::none;
}

}  // namespace

AnnotatedGraph parse_gml(std::string_view text, const GraphMending& mending) {
  const std::string lines = with_line_feeds(text);
  const GmlEntry document = GmlReader(lines).read();
  if (std::ranges::count(document.list, "graph", &GmlEntry::key) != 1)
    throw Misuse("GML: expected one graph [ ... ]");
  const GmlEntry& graph = *document.find("graph");
  const bool directed = graph.value("directed") == "1";
  const bool by_yed = document.value("Creator") == "yFiles";
  DrawnGraph drawn;
  for (const GmlEntry& entry : graph.list) {
    if (entry.key == "node" || entry.key == "edge") refuse_repeated_gml(entry);
    if (entry.key == "node" && !entry.find("id")) throw Misuse("GML: a node has no id");
    if (entry.key == "node")
      drawn.peers.push_back({entry.value("id"),
                             entry.find("label") ? entry.value("label") : entry.value("name"),
                             entry.value("address"), entry.value("Latitude"), entry.value("Longitude")});
    if (entry.key == "edge")
      drawn.links.push_back({entry.value("source"), entry.value("target"), entry.value("weight"),
                             entry.value("latency"), entry.value("bandwidth"), entry.value("LinkSpeedRaw"),
                             gml_heads(entry, directed, by_yed)});
  }
  return annotated(std::move(drawn), "GML", mending);
}

}  // namespace hearsay

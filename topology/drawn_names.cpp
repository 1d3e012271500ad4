#include "topology/drawn_names.hpp"

#include <map>
#include <set>
#include <sstream>

namespace hearsay {
namespace {

/// Returns the number of bytes of the UTF-8 letter with which `text` begins; 0 if it begins with none.
std::size_t utf8_letter(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const std::size_t size = byte(0) < 0x80                      ? 1
                           : byte(0) >= 0xc2 && byte(0) < 0xe0 ? 2
                           : byte(0) >= 0xe0 && byte(0) < 0xf0 ? 3
                           : byte(0) >= 0xf0 && byte(0) < 0xf5 ? 4
                                                               : 0;
  if (size == 0 || size > text.size()) return 0;
  for (std::size_t k = 1; k < size; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool overlong = (byte(0) == 0xe0 && byte(1) < 0xa0) || (byte(0) == 0xf0 && byte(1) < 0x90);
  const bool outside = (byte(0) == 0xed && byte(1) >= 0xa0) || (byte(0) == 0xf4 && byte(1) >= 0x90);
  return overlong || outside ? 0 : size;
}

/// Returns the text as UTF-8. Text that is none is Latin-1, which older programs write.
std::string as_utf8(const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t size = utf8_letter(rest);
    if (size == 0) break;
    rest.remove_prefix(size);
  }
  if (rest.empty()) return text;
  std::string converted;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x80) {
      converted += letter;
    } else {
      converted += static_cast<char>(0xc0 | (byte >> 6));
      converted += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return converted;
}

/// Returns the text with parentheses in place of brackets around digits, commas and dashes.
std::string without_ranges(std::string text) {
  for (std::size_t open = text.find('['); open != text.npos; open = text.find('[', open + 1)) {
    const std::size_t close = text.find_first_not_of("0123456789,-", open + 1);
    if (close == text.npos || text[close] != ']') continue;
    text[open] = '(';
    text[close] = ')';
  }
  return text;
}

std::string as_name(const std::string& text) { return without_ranges(in_one_line(as_utf8(text))); }

}  // namespace

std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::vector<std::string> names_of_drawn(const std::vector<DrawnPeer>& peers) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> bearers;
  for (const DrawnPeer& peer : peers) {
    std::string name = as_name(peer.label);
    if (name.empty()) name = as_name(peer.id);
    if (name.empty()) name = "unnamed";
    ++bearers[name];
    names.push_back(std::move(name));
  }
  std::set<std::string> taken;
  for (const auto& [name, count] : bearers)
    if (count == 1) taken.insert(name);
  for (std::size_t peer = 0; peer < peers.size(); ++peer) {
    if (bearers.at(names[peer]) == 1) continue;
    const std::string shared = names[peer];
    names[peer] += " (" + as_name(peers[peer].id) + ")";
    for (std::size_t number = 2; !taken.insert(names[peer]).second; ++number)
      names[peer] = shared + " (" + std::to_string(number) + ")";
  }
  return names;
}

}  // namespace hearsay

#include "tools/influence/row_list.hpp"

#include <cstdint>
#include <string_view>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

std::vector<Index> row_list(const std::string& name, const std::string& text, Index count) {
  const auto refuse = [&] {
    throw Misuse(name, text,
                 "expected numbers from 0 to " + std::to_string(count - 1) + ", such as 0,7 or 0-4");
  };
  std::vector<Index> rows;
  std::string_view left = text;
  for (bool more = true; more;) {
    const std::size_t comma = left.find(',');
    more = comma != left.npos;
    const std::string_view part = trimmed(left.substr(0, comma));
    if (more) left.remove_prefix(comma + 1);
    const std::size_t dash = part.find('-');
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (!parse_whole(trimmed(part.substr(0, dash)), first)) refuse();
    last = first;
    if (dash != part.npos && !parse_whole(trimmed(part.substr(dash + 1)), last)) refuse();
    if (last < first || last >= static_cast<std::uint64_t>(count)) refuse();
    for (std::uint64_t row = first; row <= last; ++row) rows.push_back(static_cast<Index>(row));
  }
  return rows;
}

}  // namespace hearsay

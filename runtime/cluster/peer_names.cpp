#include "runtime/cluster/peer_names.hpp"

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "runtime/cluster/name_range.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

/// True if `name` matches `pattern`, in which every * matches any letters or none. Only the last * seen is
/// ever tried again: matching it later covers what an earlier * could do.
bool fits(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t star = pattern.npos;
  std::size_t tried = 0;
  for (std::size_t n = 0; n < name.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++tried;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace

PeerNames::PeerNames(PeerId count, std::vector<std::string> names) : count_(count), names_(std::move(names)) {
  for (std::size_t id = 0; id < names_.size(); ++id) ids_.emplace(names_[id], static_cast<PeerId>(id));
}

std::string PeerNames::spelling(PeerId id) const {
  return are_numbers() ? std::to_string(id) : toml_text(names_[id]);
}

PeerId PeerNames::find(const Setting& setting) const {
  if (std::holds_alternative<std::int64_t>(setting.value.data)) {
    const std::uint64_t id = setting.count(0);
    if (id >= count_) setting.refuse("a peer's name or its id, 0 to " + std::to_string(count_ - 1));
    return static_cast<PeerId>(id);
  }
  if (!std::holds_alternative<std::string>(setting.value.data)) setting.refuse("a peer's name or its id");
  const std::string& name = setting.text();
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  if (names_.empty()) setting.refuse("a peer's id as a number, or [[peer]] tables that name the peers");
  const std::string likely = likely_name(name, names_);
  setting.refuse(likely.empty() ? "a peer's name, such as " + toml_text(names_.front())
                                : "a peer's name, did you mean " + toml_text(likely) + "?");
}

PeerNames::End PeerNames::find_all(const Setting& setting) const {
  const auto* const text = std::get_if<std::string>(&setting.value.data);
  if (text == nullptr || ids_.contains(*text)) return {{find(setting)}};
  End end;
  if (has_range(*text)) {
    end.is_range = true;
    Setting one = setting;
    for (std::string& name : expand_ranges(setting.label(), *text)) {
      one.value.data = std::move(name);
      end.peers.push_back(find(one));
    }
  } else if (text->find('*') != std::string::npos) {
    for (std::size_t id = 0; id < names_.size(); ++id)
      if (fits(*text, names_[id])) end.peers.push_back(static_cast<PeerId>(id));
    if (end.peers.empty()) setting.refuse("a pattern that fits a peer's name");
  } else {
    end.peers.push_back(find(setting));
  }
  return end;
}

}  // namespace hearsay

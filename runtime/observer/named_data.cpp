#include "runtime/observer/named_data.hpp"

#include <algorithm>

namespace hearsay {

namespace {

std::string name_of(PeerId peer) { return "peer " + std::to_string(peer); }

}  // namespace

std::optional<std::string> NamedData::objection_to(PeerId peer, const Agreement& agreement) const {
  for (const Said& said : said_) {
    if (said.by == peer) continue;
    if (auto difference =
            difference_of_data(agreement.own_data, {said.setting}, name_of(said.by), name_of(peer)))
      return difference;
  }
  return std::nullopt;
}

void NamedData::note(PeerId peer, const Agreement& agreement) {
  std::erase_if(said_, [&](const Said& said) { return said.by == peer; });
  for (const AgreedSetting& setting : agreement.own_data)
    if (std::ranges::none_of(said_, [&](const Said& said) { return said.setting.key == setting.key; }))
      said_.push_back({setting, peer});
}

}  // namespace hearsay

#include "runtime/observer/named_data.hpp"

#include <algorithm>

namespace hearsay {

std::optional<std::string> NamedData::objection_to(PeerId peer, const Agreement& agreement) const {
  for (const Said& said : said_) {
    if (said.by == peer) continue;
    const Agreement other{agreement.settings, {said.setting}};
    if (auto difference = disagreement(agreement, other, "peer " + std::to_string(said.by)))
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

#include "runtime/observer/named_data.hpp"

namespace hearsay {

namespace {

std::string name_of(PeerId peer) { return "peer " + std::to_string(peer); }

}  // namespace

std::optional<std::string> NamedData::objection_to(PeerId peer, const Agreement& agreement) const {
  for (const auto& [other, names] : said_) {
    if (other == peer) continue;
    if (auto difference = difference_of_data(agreement.own_data, names, name_of(other), name_of(peer)))
      return difference;
  }
  return std::nullopt;
}

void NamedData::note(PeerId peer, const Agreement& agreement) {
  if (!agreement.own_data.empty())
    said_[peer] = agreement.own_data;
  else
    said_.erase(peer);
}

}  // namespace hearsay

#include "runtime/observer/peer_statements.hpp"

namespace hearsay {

namespace {

std::string name_of(PeerId peer) { return "peer " + std::to_string(peer); }

}  // namespace

std::optional<std::string> PeerStatements::objection_to(PeerId peer, const Agreement& agreement) const {
  for (const auto& [other, stated] : stated_) {
    if (other == peer) continue;
    if (auto difference =
            difference_of_statements(agreement.statements, stated, name_of(other), name_of(peer)))
      return difference;
  }
  return std::nullopt;
}

void PeerStatements::note(PeerId peer, const Agreement& agreement) {
  if (!agreement.statements.empty())
    stated_[peer] = agreement.statements;
  else
    stated_.erase(peer);
}

}  // namespace hearsay

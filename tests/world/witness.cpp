#include "tests/world/witness.hpp"

#include <string>
#include <variant>

namespace hearsay {

const MixingRow Life::not_seen{.self_weight = -1.0, .hears = {}, .heard_by = {}};

const MixingRow* Life::row(std::uint64_t iteration) const {
  const bool took_part = iteration > joined_at && iteration - joined_at <= rows.size();
  const MixingRow* const row = took_part ? &rows[iteration - joined_at - 1] : nullptr;
  return row && row->self_weight != not_seen.self_weight ? row : nullptr;
}

const Vector<double>* Witness::evaluated_model(PeerId id, std::uint64_t iteration) const {
  const auto found = of_peers_[id].evaluated.find(iteration);
  return found == of_peers_[id].evaluated.end() ? nullptr : &found->second;
}

void Witness::begins_work(Participant<double>& participant, const Work& work) {
  const Peer<double>& peer = participant.peer();
  judged += std::holds_alternative<ComputeScore>(work);
  if (std::holds_alternative<MakeEvaluation>(work))
    of_peers_[participant.id()].evaluated[peer.iteration()] = peer.model();
}

void Witness::hears(Participant<double>& participant, const PeerNews& news) {
  const Peer<double>& peer = participant.peer();
  parted += news.kind == PeerNews::Kind::parts;
  attached += news.kind == PeerNews::Kind::takes_back;
  hub_replaced += news.kind == PeerNews::Kind::is_replaced;
  if (news.kind != PeerNews::Kind::joins) return;
  ++joined;
  of_peers_[participant.id()].lives.back().joined_at = peer.iteration();
  entries.push_back({participant.id(), news.about, peer.iteration(), peer.model()});
}

void Witness::went_on(Participant<double>& participant) {
  const Peer<double>& peer = participant.peer();
  if (!participant.has_started() || !peer.neighborhood() || peer.neighbors().attaching()) return;
  Life& life = of_peers_[participant.id()].lives.back();
  if (peer.begun() <= life.joined_at + life.rows.size()) return;
  life.rows.resize(peer.begun() - life.joined_at - 1, Life::not_seen);
  life.rows.push_back(peer.row());
}

void Witness::ended(Participant<double>& participant) {
  hub_lost += participant.end()->reason.find("the hub, peer") != std::string::npos;
}

}  // namespace hearsay

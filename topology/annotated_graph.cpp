#include <cmath>

#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/interchange.hpp"

namespace hearsay {

AnnotatedGraph annotated(const Graph& graph, const MixingMatrix* mixing,
                         const std::vector<std::string>& names) {
  ensure(names.empty() || names.size() == graph.peer_count(), "there is a name for every peer or for none");
  ensure(!mixing || (mixing->symmetric() && mixing->peer_count() == graph.peer_count()),
         "weights of links are those of a symmetric matrix on the graph");
  AnnotatedGraph result{graph, {}, std::vector<LinkNotes>(graph.edges().size())};
  for (PeerId peer = 0; peer < graph.peer_count(); ++peer)
    result.peers.push_back({names.empty() ? std::to_string(peer) : names[peer], ""});
  for (std::size_t k = 0; mixing && k < graph.edges().size(); ++k) {
    const auto [a, b] = graph.edges()[k];
    for (const WeightedNeighbor& neighbor : mixing->row(a).hears)
      if (neighbor.id == b) result.links[k].weight = neighbor.weight;
  }
  return result;
}

void require_number(const LinkNotes& notes, const std::string& place) {
  if (!notes.no_weight.empty()) throw Misuse(place + ": weight = " + notes.no_weight + ": expected a number");
}

void require_self_weights(const MixingMatrix& mixing, const std::map<PeerId, double>& self_weights,
                          const std::vector<std::string>& names) {
  constexpr double rounding = 1e-6;  // of weights that were written with six digits
  for (const auto& [peer, weight] : self_weights)
    if (std::abs(weight - mixing.row(peer).self_weight) > rounding)
      throw Misuse("link " + names[peer] + " - " + names[peer] + ": weight = " + number_text(weight) +
                   ": expected " + number_text(mixing.row(peer).self_weight) +
                   ", what the other links of the peer leave of 1");
}

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/simulator/cluster_host.hpp"

namespace hearsay {

/// The rows of W of one process, one for each iteration that it has begun. The first is of iteration
/// `joined_at` + 1.
struct Life {
  std::uint64_t joined_at = 0;
  std::vector<MixingRow> rows = {};
  static const MixingRow not_seen;  // several iterations went by at once
  /// Returns the row of an iteration. Null if the process took no part in it, or if several iterations went
  /// by at once.
  const MixingRow* row(std::uint64_t iteration) const;
};

/// Writes down what happens in a virtual cluster.
class Witness : public ClusterHost<double> {
 public:
  explicit Witness(PeerId peer_count) : of_peers_(peer_count) {}

  std::uint64_t corrupted = 0;     ///< replicas
  std::uint64_t crashes = 0;       ///< of peers that were running
  std::uint64_t replayed = 0;      ///< log entries that peers replayed
  std::uint64_t parted = 0;        ///< how often an end of an edge took it out
  std::uint64_t attached = 0;      ///< how often an end of an edge took it in again
  std::uint64_t judged = 0;        ///< how often a peer began to judge a mean model
  std::uint64_t joined = 0;        ///< how often a peer joined with the model of a neighbor
  std::uint64_t hub_lost = 0;      ///< how often a worker ended since it had lost the hub
  std::uint64_t hub_replaced = 0;  ///< how often a hub found that all had gone to its standby
  struct Entry {
    PeerId peer, from;
    std::uint64_t iteration;
    Vector<double> model;
  };
  std::vector<Entry> entries;  ///< one for each time that a peer joined

  /// Policy "drop": returns the rows of the newest process of peer `id`.
  const std::vector<MixingRow>& rows(PeerId id) const { return of_peers_[id].lives.back().rows; }
  /// Returns the lives of all processes of peer `id`, the killed ones too, in order.
  const std::vector<Life>& lives(PeerId id) const { return of_peers_[id].lives; }
  /// Returns the model of peer `id` after an iteration that it evaluated; null if there is none.
  const Vector<double>* evaluated_model(PeerId id, std::uint64_t iteration) const;

 protected:
  void note_start(PeerId id) { of_peers_[id].lives.emplace_back(); }
  void begins_work(Participant<double>& participant, const Work& work) override;
  void hears(Participant<double>& participant, const PeerNews& news) override;
  void went_on(Participant<double>& participant) override;
  void ended(Participant<double>& participant) override;

 private:
  struct OfPeer {
    std::vector<Life> lives = {};
    std::map<std::uint64_t, Vector<double>> evaluated = {};
  };
  std::vector<OfPeer> of_peers_;
};

}  // namespace hearsay

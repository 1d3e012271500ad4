#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/checkpoint/peer_image.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/simulator/process_archive.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// The archive of a simulated process: its newest checkpoint and its log, in memory.
template <class Scalar>
class VirtualArchive final : public ProcessArchive<Scalar> {
 public:
  /// `experiment` must outlive the archive.
  VirtualArchive(const Experiment<Scalar>& experiment, PeerId id) : experiment_(experiment), id_(id) {}

  void hear(const Heard& heard) override {
    if (auto record = record_of(heard))
      log_.push_back(std::move(*record));
    else
      log_.clear();
  }

  void save(Peer<Scalar>& peer, const SessionState& session, const PeerMeters& meters) override {
    iteration_ = peer.iteration();
    image_ = image_of(peer);
    session_ = session;
    meters_ = meters;
    log_.clear();
  }

  std::vector<std::uint64_t> holds() const override {
    return iteration_ == 0 ? std::vector<std::uint64_t>{0} : std::vector<std::uint64_t>{0, iteration_};
  }

  RestoredPeer<Scalar> restored(std::optional<std::uint64_t> at, PacketPool& packets) override {
    ensure(!at, "the observer outlives the processes, so each goes on from its log");
    RestoredPeer<Scalar> restored;
    restored.peer = make_peer(experiment_, id_, packets, checkpoint_rule(experiment_.settings));
    restored.log = log_;
    if (iteration_ == 0) return restored;
    ensure(restore(*restored.peer, image_, InboxOnRestore::keep), "an image is that of its peer");
    restored.session = session_;
    restored.session.next_needed = first_needed_in(iteration_ + 1, staleness_of(experiment_.settings));
    restored.session.last_verdict = restored.peer->last_verdict();
    restored.meters = meters_;
    return restored;
  }

 private:
  const Experiment<Scalar>& experiment_;
  PeerId id_;
  std::uint64_t iteration_ = 0;  // of the checkpoint; 0: none
  std::vector<std::byte> image_;
  SessionState session_{1, {}, {}, {}, {}};
  PeerMeters meters_;
  std::vector<LogRecord> log_;
};

}  // namespace hearsay

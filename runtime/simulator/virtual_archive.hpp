#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/checkpoint/peer_image.hpp"
#include "runtime/checkpoint/replay.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/participant/participant.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/session/state.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// What a simulated process leaves behind when it is killed: its newest checkpoint, and the log of what it
/// has heard since. As PeerArchive, in memory.
template <class Scalar>
class VirtualArchive {
 public:
  void hear(const Heard& heard) {
    if (auto record = record_of(heard))
      log_.push_back(std::move(*record));
    else
      log_.clear();
  }

  void save(Peer<Scalar>& peer, const SessionState& session, const PeerMeters& meters) {
    iteration_ = peer.iteration();
    image_ = image_of(peer);
    session_ = session;
    meters_ = meters;
    log_.clear();
  }

  /// The iterations that the peer can be restored to.
  std::vector<std::uint64_t> holds() const {
    return iteration_ == 0 ? std::vector<std::uint64_t>{0} : std::vector<std::uint64_t>{0, iteration_};
  }

  /// Makes `peer`, which is new, equal to the one that was killed, and returns the state of its session.
  /// `meters` are those at its end then.
  SessionState restore(const Experiment<Scalar>& experiment, Peer<Scalar>& peer, PeerMeters& meters) const {
    SessionState session{1, {}, {}, {}, {}};
    if (iteration_ != 0) {
      ensure(hearsay::restore(peer, image_, InboxOnRestore::keep), "an image is that of its peer");
      session = session_;
      session.next_needed = first_needed_in(iteration_ + 1, staleness_of(experiment.settings));
      session.last_verdict = peer.last_verdict();
      meters = meters_;
    }
    return replay(experiment, peer, std::move(session), log_, meters);
  }

 private:
  std::uint64_t iteration_ = 0;  // of the checkpoint; 0: none
  std::vector<std::byte> image_;
  SessionState session_{1, {}, {}, {}, {}};
  PeerMeters meters_;
  std::vector<LogRecord> log_;
};

}  // namespace hearsay

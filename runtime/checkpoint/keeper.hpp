#pragma once

#include "runtime/checkpoint/archive.hpp"
#include "runtime/foundation/notice.hpp"

namespace hearsay {

/// Keeps the archive of a running peer; does nothing if the run takes no checkpoints. A write that fails does
/// not stop training. The first failure is reported as a notice; another failure is reported only after all
/// writes from one checkpoint to the next have succeeded.
template <class Scalar>
class CheckpointKeeper {
 public:
  CheckpointKeeper(const Experiment<Scalar>& experiment, PeerId id, Notice notice)
      : id_(id), notice_(std::move(notice)) {
    if (experiment.settings.failure.keeps_checkpoints())
      archive_.emplace(experiment, id, archive_directory(experiment.settings));
  }

  void hear(const Heard& heard);
  void save(Peer<Scalar>& peer, const SessionState& session, const PeerMeters& meters);
  /// Restores the peer to where its earlier process ended; or, if `at` is given, to the checkpoint at that
  /// iteration, as all peers do. Throws Misuse if it cannot. Precondition: the run takes checkpoints.
  RestoredPeer<Scalar> restored(std::optional<std::uint64_t> at, PacketPool& packets);

 private:
  void complain(const std::optional<std::string>& failure);

  PeerId id_;
  Notice notice_;
  std::optional<PeerArchive<Scalar>> archive_;
  bool failed_ = false;  // if a write has failed since the last checkpoint
  bool complained_ = false;
};

}  // namespace hearsay

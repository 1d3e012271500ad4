#pragma once

#include "runtime/checkpoint/archive.hpp"

namespace hearsay {

/// What a running peer puts away so that it can come back (peer_archive.hpp); nothing, where the run takes no checkpoints. A
/// disk that does not take it is no reason to stop training, but worth a word on standard error: one, until from one checkpoint to
/// the next all went well again.
template <class Scalar>
class Safekeeping {
 public:
  Safekeeping(const Experiment<Scalar>& experiment, PeerId id) : id_(id) {
    if (experiment.settings.failure.checkpoint_every != 0)
      archive_.emplace(experiment, id, archive_directory(experiment.settings));
  }

  void begin();
  void hear(const MessageKey& key, const PacketRef& packet);
  void hear_verdict(std::uint64_t evaluated, bool go_on, std::uint64_t checkpoint_every);
  void save(Peer<Scalar>& peer, const SessionState& session, const PeerMeters& meters);
  /// What an earlier process under this id was; or what all were at one iteration. Throws Misuse.
  RevivedPeer<Scalar> revive(std::optional<std::uint64_t> at, PacketPool& packets);

 private:
  void complain(const std::optional<std::string>& failure);

  PeerId id_;
  std::optional<PeerArchive<Scalar>> archive_;
  bool failed_ = false;  // something, since the last checkpoint was due
  bool complained_ = false;
};

}  // namespace hearsay

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/checkpoint/checkpoint.hpp"
#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

/// A peer that was restored, and what its session and its meters continue with.
template <class Scalar>
struct RevivedPeer {
  std::unique_ptr<Peer<Scalar>> peer;  ///< not started
  SessionState session{1, {}, {}, {}, {}};
  PeerMeters meters;
  std::vector<Heard> log;  ///< what the peer heard since, to be replayed (replay.hpp)
};

/// What one peer keeps on disk to be restored from: its newest checkpoints, and a log of what it was handed
/// since. A write that fails (the disk is full) is returned as a sentence. Training goes on then, but the
/// peer may not be restorable until the next checkpoint is written.
template <class Scalar>
class PeerArchive {
 public:
  PeerArchive(const Experiment<Scalar>& experiment, PeerId id, std::filesystem::path directory);

  /// The iterations that the peer can be restored to: those of its checkpoints, and 0, since every peer can
  /// begin. Throws Misuse if all checkpoints belong to a run with other settings. `passed_over`, if given,
  /// gets a sentence for each checkpoint that is of no use.
  std::vector<std::uint64_t> holds(std::vector<std::string>* passed_over = nullptr) const;

  /// Begins a run: removes what is there of an earlier one.
  std::optional<std::string> begin();
  /// Restores the checkpoint at `iteration`, as all peers do, and removes later ones.
  RevivedPeer<Scalar> revive_at(std::uint64_t iteration, PacketPool& packets);
  /// Restores this peer alone to where it ended: its newest checkpoint and its log.
  RevivedPeer<Scalar> revive(PacketPool& packets);

  // Into the log; to be called before the peer is handed the message or the verdict.
  std::optional<std::string> hear(const MessageKey& key, const PacketRef& packet);
  std::optional<std::string> hear_verdict(std::uint64_t evaluated, bool go_on,
                                          std::uint64_t checkpoint_every);

  /// Writes a checkpoint of the peer, which is in the state checkpoint_due, and begins a new log.
  std::optional<std::string> save(Peer<Scalar>& peer, const SessionState& session, const PeerMeters& meters);

 private:
  void require_none_of_another_run() const;
  RevivedPeer<Scalar> make(std::uint64_t iteration, Waiting waiting, PacketPool& packets) const;
  std::optional<std::string> note(std::optional<std::string> failure);

  const Experiment<Scalar>& experiment_;
  PeerId id_;
  std::filesystem::path directory_;
  CheckpointOwner owner_;
  PacketLog log_;
  bool log_is_whole_ = false;  // otherwise it is not continued: a log with a hole is worth nothing
};

/// Where the peers of a run keep their archives: "checkpoints" in its output directory.
std::filesystem::path archive_directory(const RunSettings& settings);

}  // namespace hearsay

#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/checkpoint/checkpoint.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

/// A peer that came back, and what its session and its meters have to know.
template <class Scalar>
struct RevivedPeer {
  std::unique_ptr<Peer<Scalar>> peer;  ///< not started
  SessionState session{1, {}, {}, {}, {}};
  PeerMeters meters;
  std::vector<Heard> log;  ///< what it heard since, to be replayed (replay.hpp)
};

/// What one peer keeps on disk so that it can come back: its newest checkpoints, and a log of what it was handed since. That
/// something cannot be written (the disk is full) comes back as a sentence; training goes on, but the peer may not be able to
/// come back until the next checkpoint that can.
template <class Scalar>
class PeerArchive {
 public:
  PeerArchive(const Experiment<Scalar>& experiment, PeerId id, std::filesystem::path directory);

  /// The iterations that it can go on from: those of its checkpoints, and 0, since every peer can begin. Throws Misuse where all
  /// there are belong to a run with other settings. `passed_over`, where given, gets a sentence for each that is of no use.
  std::vector<std::uint64_t> holds(std::vector<std::string>* passed_over = nullptr) const;

  /// Of a run that begins: what is there of an earlier one goes.
  std::optional<std::string> begin();
  /// All peers go on from the checkpoint at `iteration`; what came later goes.
  RevivedPeer<Scalar> revive_at(std::uint64_t iteration, PacketPool& packets);
  /// This peer alone goes on from where it ended: its newest checkpoint and its log.
  RevivedPeer<Scalar> revive(PacketPool& packets);

  // To be called before the peer is handed what was heard.
  std::optional<std::string> hear(const MessageKey& key, const PacketRef& packet);
  std::optional<std::string> hear_verdict(std::uint64_t evaluated, bool go_on,
                                          std::uint64_t checkpoint_every);

  /// Of a peer in the state checkpoint_due.
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
  bool log_is_whole_ = false;  // a log with a hole is worth nothing, until the next one begins
};

/// Where the peers of a run keep their archives: "checkpoints" in its output directory.
std::filesystem::path archive_directory(const RunSettings& settings);

/// The most iterations that one peer can be ahead of another: as many as they are links apart, where all speak in every
/// iteration, and the staleness more for every link; in any case the verdicts hold it back.
template <class Scalar>
std::uint64_t largest_lead(const Experiment<Scalar>& experiment);

}  // namespace hearsay

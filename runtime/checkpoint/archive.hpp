#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/checkpoint/checkpoint.hpp"
#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/session/heard.hpp"
#include "runtime/session/state.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

/// A restored peer, and the state with which its session and its meters continue.
template <class Scalar>
struct RestoredPeer {
  std::unique_ptr<Peer<Scalar>> peer;  ///< not started
  SessionState session{1, {}, {}, {}, {}};
  PeerMeters meters;
  std::vector<LogRecord> log;  ///< what the peer has received since, to be replayed (replay.hpp)
};

/// The files from which one peer can be restored: its newest checkpoints, and a log of everything that it has
/// received since. A function that cannot write (the disk is full) returns why, in a sentence. Training goes
/// on then, but the peer may not be restorable until the next checkpoint is written.
template <class Scalar>
class PeerArchive {
 public:
  PeerArchive(const Experiment<Scalar>& experiment, PeerId id, std::filesystem::path directory);

  /// Returns the iterations that the peer can be restored to, ascending: those of its valid checkpoints, and
  /// 0, at which every peer begins, unless there are checkpoints that cannot be used. `passed_over`, if
  /// given, gets a sentence for each of these. Throws Misuse, which names the settings, if there is no valid
  /// checkpoint and the files are of a run with other settings, or if the data at home or the test data are
  /// others.
  std::vector<std::uint64_t> holds(std::vector<std::string>* passed_over = nullptr) const;

  /// Begins a run: removes the files of an earlier run, and begins a log.
  std::optional<std::string> begin();
  /// Removes what the peer could be restored from, and makes nothing: all peers have agreed to begin anew.
  void forget() const;
  /// Restores the peer to its checkpoint at `iteration`, as all peers do, and removes later files. Throws
  /// Misuse if it cannot.
  RestoredPeer<Scalar> restored_at(std::uint64_t iteration, PacketPool& packets);
  /// Restores this peer alone to where its process ended: from its newest checkpoint and its log.
  RestoredPeer<Scalar> restored(PacketPool& packets);

  /// Writes to the log what the peer has heard. Must be called before anything leaves the process that
  /// follows from it.
  std::optional<std::string> hear(const Heard& heard);

  /// Writes a checkpoint of the peer, and begins a new log. Precondition: the peer is in the state
  /// checkpoint_due.
  std::optional<std::string> save(Peer<Scalar>& peer, const SessionState& session, const PeerMeters& meters);

 private:
  void require_same_data() const;
  void require_none_of_another_run() const;
  void note_agreement() const;
  RestoredPeer<Scalar> make(std::uint64_t iteration, InboxOnRestore inbox, PacketPool& packets) const;
  std::optional<std::string> note(std::optional<std::string> failure);

  const Experiment<Scalar>& experiment_;
  PeerId id_;
  std::filesystem::path directory_;
  Agreement agreement_;
  CheckpointOwner owner_;
  PacketLog log_;
  bool log_is_whole_ = false;  // if not, nothing is appended: a log with a hole is useless
};

/// Returns the directory in which the peers of a run keep their archives: "checkpoints" in the output
/// directory.
std::filesystem::path archive_directory(const RunSettings& settings);

/// Returns the settings with which peer `id` resumes the run in the output directory. If they leave it to the
/// network how sums over all peers are formed (algorithm.reduce = "auto"), this stays as it was when the run
/// began: another network may make the other way the quickest.
RunSettings resumed(RunSettings settings, PeerId id);

}  // namespace hearsay

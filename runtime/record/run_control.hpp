#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/crew.hpp"
#include "runtime/foundation/notice.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/peer_progress.hpp"
#include "runtime/record/timeline.hpp"

namespace hearsay {

/// A peer whose process has ended, as its starter has seen it.
struct EndedPeer {
  PeerId id = 0;
  std::string how;  ///< "it was killed by signal 9"
};

/// Callbacks and flags by which the caller of a run follows and stops it.
struct RunControl {
  /// Called once when a run of processes starts, before any peer does. `first`: the run has no evaluations
  /// from this iteration on yet.
  std::function<void(std::uint64_t first)> on_start = [](std::uint64_t) {};
  /// Called once per evaluation, in order.
  std::function<void(const Evaluation&)> on_evaluation = [](const Evaluation&) {};
  /// If set: called after `on_evaluation` with the meters of every peer, by id, as of its newest evaluation.
  std::function<void(const std::vector<PeerMeters>&)> on_meters = {};
  /// If set: called after `on_evaluation` with each model that is the best so far (run.keep = "best").
  std::function<void(const KeptModel&)> on_best = {};
  /// Called after `on_evaluation` with the models that the run keeps (run.keep_models).
  std::function<void(const ModelSet&)> on_models = [](const ModelSet&) {};
  /// False: of the outcome, the mean model and the best one alone are needed, which takes the memory of n
  /// models less. Of a run with faults in virtual time all are kept.
  bool wants_models_of_peers = true;
  /// Called once if all peers go on from the checkpoint at `iteration`. `sentence` says so, and which
  /// progress is lost.
  std::function<void(std::uint64_t iteration, const std::string& sentence)> on_resume =
      [](std::uint64_t, const std::string&) {};
  /// Called once this process of a run that spans hosts listens at its addresses: none was in use.
  std::function<void()> on_listening = [] {};
  /// If set: called by the process of one peer with what it has done so far, a few times a second, between
  /// its gradients.
  std::function<void(const PeerProgress&)> on_progress = {};
  /// Called in the process of each peer of a run on this machine, before it says anything.
  std::function<void(PeerId)> in_process_of = [](PeerId) {};
  /// Receives sentences about peers, connections and files.
  Notice notice = no_notice;
  /// Set to true (by a signal handler, say) to end the run soon, with status interrupted. May be null.
  const std::atomic<bool>* interrupted = nullptr;
  /// Set to true if this process of a run that spans hosts has to end: its host goes out of service, say. If
  /// the run can go on without the process or wait for it (Failure::survives_a_leave), only the process ends.
  /// Else the run ends as with `interrupted`. May be null.
  const std::atomic<bool>* asked_to_leave = nullptr;
  /// True if the run continues from the checkpoints of an earlier run, which was cut off or is to be
  /// extended.
  bool resumes = false;
  /// What that earlier run has kept, for the observer.
  RunRecord record = {};
  /// Polled wherever `interrupted` is; true ends the run in the same way.
  std::function<bool()> out_of_patience = [] { return false; };
  /// Polled by the observer of a run that spans hosts. Returns why the run cannot go on, if the caller knows
  /// (a peer that it has started was killed, say); else empty.
  std::function<std::optional<std::string>()> lost = [] { return std::nullopt; };
  /// Polled in the same way. Returns a peer whose end the caller has seen, each once; else nothing.
  std::function<std::optional<EndedPeer>()> ended_peer = [] { return std::nullopt; };
  /// Polled by a peer's process. True if the observer's process is known to have ended.
  std::function<bool()> observer_is_gone = [] { return false; };

  /// Records what every peer does, and when. Null: nothing is recorded. Peers on several hosts, whose clocks
  /// differ, record nothing.
  Timeline* timeline = nullptr;

  /// Does the work of the peers of a simulation side by side. Null: the caller's thread does it alone.
  Crew* crew = nullptr;

  bool is_asked_to_leave() const { return asked_to_leave && asked_to_leave->load(std::memory_order_relaxed); }
  bool is_interrupted() const {
    return (interrupted && interrupted->load(std::memory_order_relaxed)) || out_of_patience();
  }
};

}  // namespace hearsay

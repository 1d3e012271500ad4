#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/notice.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// What the one who starts a run may see and do while it lasts.
struct RunControl {
  /// Called once per evaluation, in order.
  std::function<void(const Evaluation&)> on_evaluation = [](const Evaluation&) {};
  /// Called once where all peers go on from the checkpoint at `iteration`; the sentence says so, and what of
  /// it is lost.
  std::function<void(std::uint64_t iteration, const std::string& sentence)> on_resume =
      [](std::uint64_t, const std::string&) {};
  /// What happened to peers, connections and files, in sentences.
  Notice notice = no_notice;
  /// Set (by a signal handler, say) to end the run soon, with status interrupted.
  const std::atomic<bool>* interrupted = nullptr;
  /// Set to end this process of a run that spans hosts, and no other, where the run can do without it or wait
  /// for it: its host goes out of service. Else like `interrupted`.
  const std::atomic<bool>* asked_to_leave = nullptr;
  /// The run resumes, from the checkpoints of one that was cut off or is to be extended.
  bool resumes = false;
  /// The evaluations of that one, for the observer.
  std::vector<Evaluation> record = {};
  /// Asked again and again by the process that computes; ends a run in the same way.
  std::function<bool()> out_of_patience = [] { return false; };
  /// Asked again and again by the observer: why the run cannot go on, where whoever started the peers knows
  /// (one of them was killed, say).
  std::function<std::optional<std::string>()> lost = [] { return std::nullopt; };
  /// By the process that computes: whether it is known that the observer's process has ended.
  std::function<bool()> observer_is_gone = [] { return false; };

  bool is_asked_to_leave() const { return asked_to_leave && asked_to_leave->load(std::memory_order_relaxed); }
  bool is_interrupted() const {
    return (interrupted && interrupted->load(std::memory_order_relaxed)) || out_of_patience();
  }
};

}  // namespace hearsay

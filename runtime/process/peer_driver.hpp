#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/checkpoint/keeper.hpp"
#include "runtime/participant/objective_failure.hpp"
#include "runtime/participant/participant.hpp"
#include "runtime/process/compute_thread.hpp"
#include "runtime/process/gradient_pace.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/transfer/training_traffic.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/peer_sockets.hpp"

namespace hearsay {

/// Drives a participant: gives it a clock, sockets, files and threads, and decides nothing. Sockets and
/// participant are served in one thread. Work that takes long (gradients with their emulated time, and disk
/// accesses) is done in a second thread, so that due frames and heartbeats leave in time meanwhile.
template <class Scalar>
class PeerDriver {
 public:
  /// All must outlive the driver. The sockets serve the session of the participant. `slots`: as in PeerEntry.
  PeerDriver(const Experiment<Scalar>& experiment, Participant<Scalar>& participant, PacketPool& packets,
             PeerSockets& sockets, TrainingTraffic& traffic, SharedSlots* slots, const RunControl& control);

  /// Returns once the participant has ended.
  PeerEnd run();

 private:
  static constexpr Duration poll_interval = std::chrono::milliseconds(200);
  static constexpr Duration between_progress = std::chrono::milliseconds(200);
  /// So long frames may wait in the sockets: short compared with anything that waits for them.
  static constexpr Duration max_serve_gap = std::chrono::milliseconds(1);

  /// Then the driver looks whether its work is done, and what the user wants.
  static constexpr int most_events_a_turn = 256;

  void drive();
  /// Tells the participant what the user wants, and whether the observer's process is there.
  void look_around();
  void tell_progress();
  /// Lets the participant hear what the sockets have heard. False if there is more.
  bool advance();
  /// Writes, sends and says what the participant wants written, sent and said.
  void carry_out();
  void wait_for_sockets();
  /// Serves the sockets without waiting, if that was not done for `max_serve_gap`.
  void serve_now_and_then();
  void serve(Instant until, int also = -1);

  /// A piece of work, and the call by which it is reported done.
  struct Job {
    std::function<void()> work;
    std::function<void()> report;
    bool takes_long = true;  ///< it is done in the second thread
  };
  void begin(Job job);
  bool is_time_to_report();
  void end_background_work();
  Job job(const RestorePeer& restore);
  Job job(const ComputeGradient& gradient);
  Job job(const TakeCheckpoint& checkpoint);
  Job job(const MakeEvaluation& evaluation);
  Job job(const ComputeScore& score);
  Job job(const MakeResult& result);
  Job job(const KeepModel& keep);
  /// Reports that the objective has failed, if it has; else calls `report`.
  template <class Report>
  void report_objective(const Report& report) {
    if (const auto failure = std::exchange(failure_, std::nullopt))
      participant_.failed(*failure, monotonic_now());
    else
      report();
  }

  /// The meters of the participant, with the counters of the sockets.
  PeerMeters meters() const;
  /// Returns the payload of an evaluation: in a slot if there are any, and one is free; else on the heap.
  SharedBytes evaluation_in_place() const;
  /// Under run.evaluate = "own" the model stays here, in a file.
  void keep_model_at_home() const;
  /// Writes this peer's model to a file of its own, and returns the file's path. Throws Misuse.
  std::string keep_own_model() const;
  bool judges_own() const { return experiment_.settings.run.evaluate == RunSettings::Run::Evaluate::own; }

  const Experiment<Scalar>& experiment_;
  Participant<Scalar>& participant_;
  PacketPool& packets_;
  PeerSockets& sockets_;
  TrainingTraffic& traffic_;
  SharedSlots* slots_;
  const RunControl& control_;
  CheckpointKeeper<Scalar> keeper_;
  GradientPace pace_;
  Instant served_at_{};
  struct {
    Instant again{};
    bool start = false;
  } tells_;  // its progress
  // What the work that is under way has brought about.
  std::optional<ObjectiveFailure> failure_;
  std::optional<PeerEnd> cannot_;  // it could not be done
  Instant gradient_began_{};
  PeerMeters meters_before_work_;
  RestoredPeer<Scalar> restored_;
  SharedBytes payload_;
  std::optional<std::vector<std::byte>> answer_;
  std::string model_file_;
  std::function<void()> report_;  // of the work in the second thread; empty if there is none
  ComputeThread compute_thread_;  // last: it uses the others
};

}  // namespace hearsay

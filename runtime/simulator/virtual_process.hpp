#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/participant/objective_failure.hpp"
#include "runtime/participant/participant.hpp"
#include "runtime/simulator/cluster_host.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

/// The place of a peer in virtual time: its process, which is started, killed, frozen and started again. It
/// drives a participant as PeerDriver does, and decides nothing.
template <class Scalar>
class VirtualProcess {
 public:
  using Send = std::function<void(PeerFrame)>;
  /// `cluster` and `packets` must outlive the process.
  VirtualProcess(PeerId id, const ClusterInput<Scalar>& cluster, const Agreement& agreement,
                 PacketPool& packets, Send send)
      : id_(id), cluster_(cluster), agreement_(agreement), packets_(packets), send_(std::move(send)) {}
  VirtualProcess(const VirtualProcess&) = delete;
  VirtualProcess& operator=(const VirtualProcess&) = delete;

  /// True if the process runs.
  bool is_up() const { return participant_ && !participant_->end(); }
  /// Null: the process was killed, or has not begun.
  Participant<Scalar>* participant() const { return participant_.get(); }
  /// How often a process was started here.
  std::uint32_t life() const { return life_; }
  /// Tells the process from earlier ones, and from those of other peers.
  std::uint32_t incarnation() const { return 1000 * id_ + life_; }

  /// Starts a process. If it resumes, it says what its archive holds, and restores its peer from it.
  void start(bool resumes);
  /// Kills the process: its memory is gone. Frames that come before the next one begins are lost.
  void die();
  /// The process stands still until `thaw`. False if there is none, or it stands still already.
  bool freeze();
  void thaw();

  /// Enters what happens to this process, unless it ends first.
  void at(Instant when, std::function<void()> happens);
  /// Lets it happen to the process that is here: later, if that is frozen; not at all, if there is none.
  void happen(std::function<void()> happens);
  /// A frame of peer `from` has come. The process holds a message until it is due (VirtualNetwork).
  void hear(PeerId from, const PeerFrame& word, std::optional<Instant> due);
  void hear_observer(const FrameHeader& header, std::span<const std::byte> payload);
  /// Lets the participant go on, and does what it asks for, until it has to wait.
  void go_on();

 private:
  /// How often a process looks around at least.
  static constexpr Duration poll_interval = std::chrono::milliseconds(200);

  Instant now() const { return cluster_.time.now(); }
  void tick();
  void wake(Instant when);
  void carry_out();
  void hold(const WholeMessage& message, Instant due);
  void release(const WholeMessage& message);

  /// False if the participant asks for nothing.
  bool begin_work();
  void work_on(const RestorePeer& restore);
  void work_on(const ComputeGradient& gradient);
  void work_on(const TakeCheckpoint& checkpoint);
  void work_on(const MakeEvaluation& evaluation);
  void work_on(const ComputeScore& score);
  void work_on(const MakeResult& result);
  void work_on(const KeepModel& keep);
  /// Reports that work is done, once it has taken its time.
  void report_after(Duration takes, std::function<void()> report);
  /// True if the call has thrown; the participant knows it then.
  template <class Call>
  bool has_failed(const Call& call) {
    const auto failure = failure_of(call);
    if (failure) participant_->failed(*failure, now());
    return failure.has_value();
  }

  PeerId id_;
  const ClusterInput<Scalar>& cluster_;
  const Agreement& agreement_;
  PacketPool& packets_;
  Send send_;
  std::unique_ptr<Participant<Scalar>> participant_;
  ProcessArchive<Scalar>* archive_ = nullptr;
  std::uint32_t life_ = 0;
  Instant wakes_at_{};
  std::uint64_t gradients_ = 0;  // how many it has computed, or its predecessors
  bool is_frozen_ = false;
  std::vector<std::function<void()>> held_up_;  // what happens to it once it is not frozen any more
};

}  // namespace hearsay

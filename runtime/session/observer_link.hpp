#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/context.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

/// A peer's conversation with the observer: what it reports until it is acknowledged, and what the observer
/// has said.
class ObserverLink {
 public:
  /// "the observer", "peer 3"
  static std::string name_of_speaker(const FrameHeader& head);

  /// The hello; `challenge` is what the observer asked with.
  void greet(SessionContext& context, std::uint64_t challenge = 0) const;
  void say_ready(SessionContext& context) const;
  /// Before it is ready: for whom it waits.
  void say_for_whom_it_waits(const std::string& whom, SessionContext& context) const;
  void show_life(SessionContext& context) const;
  /// The iterations of its checkpoints; once the observer has said from which one all resume, that one alone.
  void say_what_it_holds(SessionContext& context) const;
  /// Whether all peers were restored to one checkpoint and none has started.
  bool waits_at_checkpoint(const SessionContext& context) const {
    return !context.has_started() && all_resume_from_.has_value();
  }

  /// Reports, evaluations and the result until they are acknowledged.
  void tell(Told told, SessionContext& context);
  void tell_unacknowledged(SessionContext& context) const;
  /// Policy "drop": the peer goes on without the observer, or with it again.
  void turn() { ++turns_; }

  /// Everything but `start`, `stop`, `departed` and `refuse`.
  FrameUse hear(const FrameHeader& head, std::span<const std::byte> payload, SessionContext& context);

  bool has_welcomed() const { return welcomed_; }
  void note_who_answers_instead(const FrameHeader& head) { answers_instead_ = name_of_speaker(head); }
  const std::string& answers_instead() const { return answers_instead_; }
  /// For whom others wait; empty if the observer has not said so.
  const std::string& others_await() const { return others_await_; }
  /// "the observer (tcp://10.0.0.1:6999)"
  static std::string name(const SessionContext& context);

  std::optional<std::uint64_t> last_verdict() const { return last_verdict_; }
  /// Of a peer that joins: where its neighbor was.
  void enter_after(std::optional<std::uint64_t> verdict) { last_verdict_ = verdict; }
  void save(SessionState& state) const;
  void restore(SessionState& state);

 private:
  void hear_alive(const FrameHeader& head, std::span<const std::byte> payload, SessionContext& context);
  void hear_verdict(const FrameHeader& head, SessionContext& context);
  void hear_resume(const FrameHeader& head, SessionContext& context);
  /// All that it may have missed.
  void tell_again(SessionContext& context) const;
  static void say(const Told& told, SessionContext& context);

  std::vector<Told> unacknowledged_;  // evaluations without a verdict, and the result
  int lacks_ = 0;                     // signs of life in a row that showed it without one of those
  std::optional<std::uint64_t> last_verdict_;
  std::uint32_t turns_ = 0;  // ObserverContact::turns, once the run has begun
  bool welcomed_ = false;
  bool restored_ = false;  // the peer was, from a checkpoint
  bool told_where_to_resume_ = false;
  std::optional<std::uint64_t> all_resume_from_;  // nothing if this peer alone came back
  std::string others_await_;
  std::string answers_instead_;  // somebody else who does at its address
};

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/context.hpp"
#include "runtime/session/state.hpp"
#include "runtime/wire/beats.hpp"

namespace hearsay {

/// A peer's link with the observer: what the peer reports, until that is acknowledged, and what the observer
/// has said.
class ObserverLink {
 public:
  /// Who sent the frame: "the observer", "peer 3".
  static std::string name_of_speaker(const FrameHeader& head);

  /// Says hello. `challenge` is the sequence of the observer's `again` that this hello answers; 0: none.
  void greet(SessionContext& context, std::uint64_t challenge = 0) const;
  void say_ready(SessionContext& context) const;
  /// Tells the observer, before this peer is ready, for whom it waits. The observer tells the other peers.
  void say_for_whom_it_waits(const std::string& whom, SessionContext& context) const;
  /// Sends a heartbeat.
  void show_life(SessionContext& context);
  /// Names the iterations of which this peer holds a checkpoint. Once the observer has said from which
  /// checkpoint all peers resume, names that one alone.
  void say_what_it_holds(SessionContext& context) const;
  /// True if the observer has named the checkpoint from which all peers resume, and the run has not started.
  bool waits_at_checkpoint(const SessionContext& context) const {
    return !context.has_started() && all_resume_from_.has_value();
  }

  /// Sends it. Evaluations, answers and the result are kept, and sent again, until they are acknowledged.
  void tell(Report report, SessionContext& context);
  void tell_unacknowledged(SessionContext& context);
  /// Policy "drop": the peer begins to run without the observer, or has the observer back. Calls alternate.
  void turn() { ++turns_; }

  /// The observer has said `bye`, or `stop` with a reason, and stays until it has the answer.
  static void answer_last_word(SessionContext& context);

  /// Handles every frame of the observer but `start`, `stop`, `departed` and `refuse`.
  FrameUse hear(const FrameHeader& head, std::span<const std::byte> payload, SessionContext& context);

  bool has_welcomed() const { return welcomed_; }
  void note_who_answers_instead(const FrameHeader& head) { answers_instead_ = name_of_speaker(head); }
  /// The peer that answers at the observer's address; empty if there is none.
  const std::string& answers_instead() const { return answers_instead_; }
  /// Whom the other peers wait for, in the observer's words; empty if the observer has not said so.
  const std::string& others_await() const { return others_await_; }
  /// "the observer (tcp://10.0.0.1:6999)"
  static std::string name(const SessionContext& context);

  /// The newest evaluation whose verdict has come; empty if none has.
  std::optional<std::uint64_t> last_verdict() const { return last_verdict_; }
  /// A joining peer takes over the last verdict of the neighbor whose model it has.
  void enter_after(std::optional<std::uint64_t> verdict) { last_verdict_ = verdict; }
  void save(SessionState& state) const;
  void restore(SessionState& state);

 private:
  void hear_alive(const FrameHeader& head, std::span<const std::byte> payload, SessionContext& context);
  void hear_verdict(const FrameHeader& head, SessionContext& context);
  void hear_question(const FrameHeader& head, std::span<const std::byte> payload, SessionContext& context);
  void hear_resume(const FrameHeader& head, SessionContext& context);
  /// A report that the observer has not acknowledged.
  struct Kept {
    Report report;
    SentBefore sent;
  };
  SentBefore sent_now() const { return SentBefore(beats_.own + 1); }
  /// Sends the observer everything that it may have missed.
  void tell_again(SessionContext& context);
  void say_again(Kept& kept, SessionContext& context) const;

  std::vector<Kept> unacknowledged_;  // evaluations and answers without a verdict, and the result
  Beats beats_;                       // this peer's newest heartbeat, and the observer's
  std::optional<std::uint64_t> last_verdict_;
  std::vector<std::uint64_t> being_answered_;  // questions that were handed over, by iteration
  std::uint32_t turns_ = 0;                    // ObserverContact::turns, once the run has begun
  bool welcomed_ = false;
  bool restored_ = false;  // whether the peer was restored from a checkpoint
  bool told_where_to_resume_ = false;
  std::optional<std::uint64_t> all_resume_from_;  // empty if this peer alone resumes
  std::string others_await_;
  std::string answers_instead_;
};

}  // namespace hearsay

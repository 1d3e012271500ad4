#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/observer/chronicle.hpp"
#include "runtime/observer/claims.hpp"
#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/farewell.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_frames.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/observer/start.hpp"
#include "runtime/observer/turning_away.hpp"
#include "runtime/wire/stop.hpp"

namespace hearsay {

/// How a run ends. Keeps how far the end has come, why it came before its time, and which results are still
/// expected; says the last word.
///
///     open -> stopping: the peers are told to stop, and send their results
///     open, stopping -> parting: the last word is said, and every peer answers it (Farewell)
///     any -> over: the session has ended
class RunEnd {
 public:
  /// All must outlive the end.
  RunEnd(const ObserverInput& input, const Evaluator& evaluator, const IdClaims& claims,
         const RunStart& start, const EvaluationSchedule& schedule, Chronicle& chronicle, Members& members,
         ObserverFrames& words);

  /// True until the peers are told to stop, or all have ended.
  bool is_open() const { return progress_ == Progress::open; }
  bool is_parting() const { return progress_ == Progress::parting; }
  bool is_over() const { return progress_ == Progress::over; }
  bool is_interrupted() const { return interrupted_.has_value(); }

  // What ends the run.

  /// As ObserverSession::interrupt, ObserverSession::lose say.
  void interrupt(Instant now, const std::string& by);
  void lose(const std::string& reason, int exit_code);
  /// The same, since peer `id` is lost.
  void lose(PeerId id, const std::string& reason);
  /// A peer wants the run to end, or has lost another one; or it ends alone.
  void take_stop(const FrameHeader& header, std::span<const std::byte> payload, Instant now);
  /// A peer that takes part has come to its end. Ignores a malformed result, and one that overtakes an
  /// evaluation that was lost: the peer sends both again.
  void take_result(PeerId sender, std::span<const std::byte> payload);
  /// This process ends, and the run goes on without its observer or with the next one.
  void leave_to_others();
  /// Says bye if no result is expected any more, and no question is open.
  void end_if_all_have();
  /// Says bye if the results that were asked for do not come in time. True if it does.
  bool ends_without_results(Instant now);
  /// Peer `id` has ended by itself. If the run ends, too, no result comes, and silence means nothing.
  void note_end_of(PeerId id);
  /// If the run is about to end, expects no results of peers that were killed and are not restored yet.
  void expect_no_results_of_killed_peers();
  /// What a process hears that resumes while the run ends: it hears no bye.
  Stop stop_of_a_successor() const { return {interrupted_ ? 130 : 0}; }

  // A run that cannot begin.

  /// As ObserverSession::turn_away says.
  void turn_away(const std::string& why) { turning_away_.emplace(why, input_.peer_count, members_); }
  bool turns_away() const { return turning_away_.has_value(); }
  void refuse(const FrameHeader& hello);

  // After the last word.

  /// Takes in any frame but a hello.
  void hear(const FrameHeader& header, Instant now);
  /// A restarted process says hello, and need not be restored.
  void answer_hello(const FrameHeader& hello);
  /// The process of peer `id` has ended: no answer of it is awaited.
  void forget(PeerId id);
  void note_unreachable(PeerId id);
  /// Gives up the peers that have been silent for longer than failure.lost_after.
  void judge_silence(Instant now);
  /// To be called with every heartbeat.
  void repeat_last_word() { farewell_->repeat(); }

  /// The peers that did not confirm the end of the run. Valid once the session is over.
  std::vector<PeerId> did_not_confirm() const {
    return farewell_ ? farewell_->given_up() : std::vector<PeerId>();
  }
  /// True if the run was lost before it began, because of wrong input.
  bool lost_by_misuse() const { return loss_ && loss_->by_misuse; }
  RunResult outcome() const;

 private:
  enum class Progress { open, stopping, parting, over };
  struct Loss {
    std::string reason;
    bool by_misuse;
  };

  /// An end goes on, and never back.
  void come_to(Progress next);
  /// Asks the peers for their results, if that was not done before.
  void stop();
  void end();
  void part(Farewell::LastWord word, const std::string& reason);
  void part_unless_it_goes_on(Stop word, const std::string& reason);
  void leave_if_all_have_heard() {
    if (is_parting() && farewell_->is_over()) come_to(Progress::over);
  }

  const ObserverInput& input_;
  const Evaluator& evaluator_;
  const IdClaims& claims_;
  const RunStart& start_;
  const EvaluationSchedule& schedule_;
  Chronicle& chronicle_;
  Members& members_;
  ObserverFrames& words_;
  Progress progress_ = Progress::open;
  std::optional<Loss> loss_;
  std::optional<std::string> interrupted_;  // by the user: a sentence
  std::optional<Instant> results_due_;      // once the user has interrupted the run
  std::optional<Farewell> farewell_;
  std::optional<TurningAway> turning_away_;
};

}  // namespace hearsay

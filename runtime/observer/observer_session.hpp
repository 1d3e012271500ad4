#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/observer/claims.hpp"
#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/observer/start.hpp"
#include "runtime/observer/words.hpp"
#include "runtime/wire/observer_contact.hpp"

namespace hearsay {

/// The observer's side of a run, from the first hello to the last bye. Pure: frames and time go in,
/// frames come out (`outbox`), so that a test can play it without sockets.
///
///     hello -> welcome | refuse                  ready, from every peer -> start to all
///     evaluation, from every peer -> verdict to all
///     result, from every peer -> bye to all      stop, from one peer -> stop to all
///
/// Nothing but a hello is heard from a peer that was not welcomed or that belongs to another run, and an
/// evaluation only in its turn; everything else is dropped, so what is kept is bounded whatever arrives.
/// A peer that was started anew is told to start, and the last verdicts, as soon as it is ready. An
/// observer that was started anew asks peers that show signs of life to greet it; they tell it again
/// what it has not answered.
///
/// Which process has the name of a peer is decided by NameClaims; what the run needs before it starts by
/// RunStart; which evaluation is next by EvaluationSchedule; who takes part by Members.
class ObserverSession {
 public:
  /// Evaluates x_0, or takes up the run whose evaluations so far are `record`. Peers that are not ready
  /// in time, or silent for longer than failure.lost_after, are named, and the run is lost. The
  /// evaluator must outlive the session.
  ObserverSession(ObserverInput input, Evaluator& evaluator, Instant now,
                  const std::vector<Evaluation>& record = {});
  ObserverSession(const ObserverSession&) = delete;
  ObserverSession& operator=(const ObserverSession&) = delete;

  /// A frame whose checksums hold; `host`: where it came from, for messages to the user.
  void hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now,
            const std::string& host = {});
  /// A word that was for one process only did not find it: it has ended.
  void note_unreachable(PeerId id, std::uint32_t incarnation);
  /// The run cannot begin, since this process cannot take part: whoever calls is told so, until all were
  /// or the start patience is over. Peers in the middle of a run are left in peace.
  void turn_away(const std::string& why);
  /// Of the process that has the name of peer `id`.
  std::uint32_t incarnation_of(PeerId id) const { return claims_.of(id).incarnation; }
  /// To be called several times a second.
  void tick(Instant now);
  /// To be called if no frame waits to be heard: peers that have been silent for too long are lost.
  void judge_silence(Instant now);
  /// The peer that `judge_silence` would lose, which may end with an evaluation.
  std::optional<PeerId> silent_peer(Instant now);
  /// The user wants the run to end: peers get some seconds for their last words.
  void interrupt(Instant now);
  /// This process leaves, and the run goes on without its observer, or with the next one. If it cannot,
  /// like `interrupt`.
  void leave(Instant now);
  /// A peer's process has ended: by failure.policy, the run is lost, or goes on without it, and the
  /// others are told so.
  void lose_peer(PeerId id, const std::string& how);
  /// The run cannot go on, as the sentence says; the peers end with `exit_code`, 3 (a peer is lost) or 2
  /// (misuse).
  void lose(const std::string& reason, int exit_code = 3);

  /// What peers are to hear while `hear` evaluates what they have sent. Touches nothing that `hear` changes.
  FrameHeader busy_sign() const;

  bool started() const { return progress_ == Progress::started; }
  bool over() const { return closing_ == Closing::over; }
  /// The run is lost before it began, because somebody's input is wrong.
  bool lost_by_misuse() const { return loss_ && loss_->by_misuse; }
  std::vector<ObserverWord>& outbox() { return words_.unsent(); }
  /// In order; the first, of x_0, counts from the start of the run on.
  const std::vector<Evaluation>& evaluations() const { return schedule_.evaluations(); }
  /// From which checkpoint all go on, once that is known, and in words why from no later one.
  std::optional<std::uint64_t> resumed_from() const { return start_.resumed_from(); }
  const std::string& how_all_go_on() const { return start_.resume_text(); }
  /// How many evaluations were known before, of a run that is taken up. Once it has started.
  std::size_t recorded() const { return schedule_.recorded(); }
  /// Evaluations behind the first iteration, up to the second, are not in the record of the run that is
  /// taken up.
  const std::optional<std::pair<std::uint64_t, std::uint64_t>>& lost_evaluations() const {
    return schedule_.lost_evaluations();
  }
  RunResult outcome() const;

 private:
  enum class Progress {
    gathering,  // peers come up; none is in the middle of the run
    under_way,  // some peer is in the middle of the run, which another observer has started
    started,    // by this observer
  };
  enum class Closing {
    open,
    stopping,  // the peers were told to stop, and some may still send their results
    over,      // nobody is to say anything any more
  };
  struct Loss {
    std::string reason;
    bool by_misuse;
  };
  struct TurningAway {
    std::string why;
    std::set<PeerId> not_told;
  };

  bool drops() const { return input_.failure.drops(); }
  // Hellos.
  void answer_hello(const FrameHeader& hello, std::span<const std::byte> payload, Instant now,
                    const std::string& host);
  void turn_away_caller(const FrameHeader& hello);
  void admit(const FrameHeader& hello, const std::string& host);
  void welcome_joiner(const FrameHeader& hello);
  // The start.
  void take_holds(PeerId sender, std::span<const std::byte> payload);
  void choose_checkpoint();
  void say_resume(PeerId to);
  void mark_under_way();
  void take_ready(PeerId sender, std::optional<std::uint64_t> last_verdict, Instant now);
  void start_peer(PeerId id, Instant now);
  // The run.
  void take_alive(const FrameHeader& alive, Instant now);
  void say_verdicts(const std::vector<Verdict>& verdicts);
  void say_verdict(PeerId to, const Verdict& verdict);
  void take_result(PeerId sender, std::span<const std::byte> payload);
  void take_stop(const FrameHeader& header, std::span<const std::byte> payload, Instant now);
  // Peers that are lost, come back, or join.
  void do_without(PeerId id, const std::string& how);
  void note_detachment(PeerId sender, const ObserverContact& contact, Instant now);
  bool take_back(const FrameHeader& alive, Instant now);
  void take_in(const FrameHeader& join, Instant now);
  // The end.
  void stop(const std::string& reason, int exit_code);
  void expect_no_results_of_killed_peers();
  void end_if_all_have();
  void end();

  const ObserverInput input_;
  Evaluator& evaluator_;
  ObserverWords words_;
  NameClaims claims_;
  RunStart start_;
  EvaluationSchedule schedule_;
  Members members_;
  Progress progress_ = Progress::gathering;
  Closing closing_ = Closing::open;
  std::optional<TurningAway> turning_away_;
  std::optional<Loss> loss_;
  bool interrupted_ = false;  // by the user
  Instant origin_{};          // when the run began
  Instant start_deadline_;
  Instant next_heartbeat_;
  std::optional<Instant> end_deadline_;
};

}  // namespace hearsay

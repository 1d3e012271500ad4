#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/checkpoint/keeper.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/network/link.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/peer/round_clock.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/process/compute_thread.hpp"
#include "runtime/process/drive_peer.hpp"
#include "runtime/process/event_pump.hpp"
#include "runtime/process/failure_detector.hpp"
#include "runtime/process/gradient_pace.hpp"
#include "runtime/process/peer_meter.hpp"
#include "runtime/process/score_desk.hpp"
#include "runtime/session/arrival_deadline.hpp"
#include "runtime/session/edge_request.hpp"
#include "runtime/session/long_wait.hpp"
#include "runtime/session/peer_session.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// Drives a peer: hands it what comes in at its sockets, and sends its messages, all in one thread. Work that
/// takes long (gradients with their emulated time, and disk accesses) is done in a second thread, so that the
/// sockets are served meanwhile: due frames and heartbeats leave in time. Events wait until the work is done,
/// since it uses the peer. An asynchronous method alone handles events and answers requests during a
/// gradient.
template <class Scalar>
class PeerDriver {
 public:
  PeerDriver(const Experiment<Scalar>& experiment, PeerId id, PeerSession& session, PeerSockets& sockets,
             SilenceWatch watch, TrainingTraffic& traffic, const RunControl& control);
  PeerEnd run() {
    PeerEnd end = drive();
    end.took_part = has_started();
    pump_.carry_out();
    experiment_.problem.objectives[id()]->take_final_model(peer_->model());  // the observer asks nothing more
    if (scores_.judges_own() && has_started()) keep_model_at_home();
    return end;
  }

 private:
  static constexpr Duration poll_interval = std::chrono::milliseconds(200);
  static constexpr Duration patience_of_the_interrupted = std::chrono::seconds(5);

  PeerEnd drive();
  /// Does what the peer's state asks for.
  void act();

  /// The end without an observer: this peer keeps its own model in a file, and stays until its neighbors need
  /// nothing more of it.
  PeerEnd leave_unobserved();
  void tell_evaluation() {
    if (failure_detector_.unobserved()) return;  // no observer would answer
    if (const auto failure = scores_.tell(peer_->iteration(), peer_->told_model(), meters()))
      end_with_failure(*failure);
  }
  void keep_model_at_home() {
    try {
      keep_own_model();
    } catch (const Misuse& misuse) {
      control_.notice(misuse.what());
    }
  }
  /// Writes this peer's model to a file of its own, and returns the file's path. Throws Misuse.
  std::string keep_own_model() {
    const std::filesystem::path& output = experiment_.settings.run.output;
    std::error_code ignored;
    std::filesystem::create_directories(output, ignored);
    const std::filesystem::path file = output / ("model-" + std::to_string(id()) + ".npy");
    write_npy<Scalar>(file, peer_->told_model());
    return file.string();
  }
  /// Takes a checkpoint.
  void keep();
  void take_gradient();
  /// Answers what the observer has asked.
  void answer_questions() {
    if (const auto failure = scores_.answer()) end_with_failure(*failure);
  }
  /// Ends the run at all peers, since the objective has thrown.
  void end_with_failure(const ObjectiveFailure& failure);
  enum class Meanwhile { serves, delivers };
  /// Does `work` in the second thread, and serves the sockets meanwhile. Meanwhile::delivers: also hands
  /// events to the peer, and sends its answers. Throws what the work throws.
  void compute(std::function<void()> work, Meanwhile meanwhile);
  void send_outbox();
  /// Tells the neighbors which messages this peer needs no more, if it sends them none in this iteration.
  void tell_progress() {
    const std::uint64_t needed_from = peer_->needed_from();
    if (experiment_.method->asynchronous || needed_from <= announced_from_) return;
    announced_from_ = needed_from;
    session_.needs_from(first_needed_in(needed_from, staleness_of(experiment_.settings)));
  }
  void wait_for_others();
  /// The hub goes on with the answers that it has, if their time is over. False if not.
  bool close_round_if_due() {
    const bool due = peer_->may_close_round() && monotonic_now() >= round_clock_.over_at();
    if (due) peer_->close_round();
    return due;
  }
  /// Waits for events, and hands them over. Returns at the latest after `poll_interval`, or when the file
  /// descriptor `also` is readable.
  void receive(int also = -1);
  /// Hands over the events that have come. False if there were none.
  bool take_in() {
    return pump_.drain(
        [this](SocketEvent& event) { std::visit([this](auto& news) { this->on(news); }, event); });
  }
  /// Serves the sockets even if no message is awaited. Under policy "drop" also hands over events, such as
  /// the return of a neighbor.
  void serve_sockets() {
    if (!drops()) return pump_.serve_now_and_then();
    pump_.serve(monotonic_now());
    take_in();
  }

  void on(DataArrived& data) {
    if (stage_ == Stage::awaits_start)
      early_.push_back(std::move(data));
    else
      hear(data);
  }
  void on(const ResumeFrom& resume);
  void on(const RunStarts& start) {
    meter_.begin(start.origin);
    timeline_.start(start.origin);
    if (std::exchange(stage_, Stage::trains) == Stage::restored) return;
    keeper_.begin();
    peer_->start();
    for (const DataArrived& data : std::exchange(early_, {})) hear(data);
  }
  void on(const VerdictArrived& verdict) {
    keeper_.hear_verdict(verdict.evaluated, verdict.proceed, verdict.announced);
    peer_->verdict(verdict.evaluated, verdict.proceed, verdict.announced);
  }
  void on(RunStops& stop);
  void on(const EveryPeerEnded& ended) {
    if (!has_started()) end_with({3, "the run ended before peer " + std::to_string(id()) + " could join it"});
    run_code_ = ended.exit_code;
  }
  void on(ScoreAsked& asked) { scores_.take(std::move(asked)); }
  void on(const PeerDeparted& departed) {
    if (departed.takes_this_for_gone && peer_->is_replaced_by(departed.id)) return end_as_replaced();
    if (departed.takes_this_for_gone && departed.id == hub_id) peer_->stand_down();
    part_from(departed.id, departed.how);
  }
  void on(const NeighborReturned& returned) { send_edge_request(respond(*peer_, returned)); }
  void on(const AttachmentOffered& offered) { send_edge_request(respond(*peer_, offered)); }
  void on(const OfferAnswered& answered) { send_edge_request(respond(*peer_, answered)); }
  void on(const ModelAsked& asked) {
    peer_->ask_for_model(asked.by);
    give_copies();
  }
  void on(const ModelArrived& arrived);
  void on(const StillWaits& waits) {
    control_.notice("peer " + std::to_string(id()) + " waits for " + waits.whom + ", for " +
                    spoken(waits.so_far) + " now");
  }
  void on(TakesNoPart& refusal) { end_with({refusal.exit_code, std::move(refusal.reason)}); }

  void hear(const DataArrived& data);
  void give_copies() {
    for (const ModelCopy& copy : peer_->copies()) session_.give(copy);
    peer_->copies().clear();
  }
  /// Ends the drive. Only the first reason counts: later ones follow from it.
  void end_with(PeerEnd end) {
    if (!end_) end_ = std::move(end);
  }
  /// Training stops here; the peer's result is still to be sent.
  void stop() {
    if (stage_ == Stage::trains) stage_ = Stage::stopped;
  }
  /// If the user has interrupted this peer: stops, and asks the observer to end the run everywhere. If this
  /// process alone was asked to leave, and the run survives that: leave_alone().
  void leave_if_interrupted();
  /// The user wants the run to end: stops, and asks the observer to end it everywhere. Before the start
  /// nobody has a result to send: all end at once, with the sentence that leave() sends.
  void interrupt() {
    leaving_ = Leaving::interrupted;
    if (!has_started()) return end_with({130, "interrupted"});
    stop();
    session_.tell_observer({FrameKind::stop, peer_->iteration(), {}});
  }
  /// This process leaves; the run goes on without it, or with its successor.
  void leave_alone();
  /// The same under policy "drop": this process leaves as `end` says, and the others go on without it.
  /// `why`: a clause, told to neighbors and observer.
  void leave_others(PeerEnd end, const std::string& why);
  /// True if the others cannot go on without this process, which is the hub.
  bool run_ends_without_this() const {
    return drops() && is_hub(id()) && !experiment_.settings.failure.hub_standby;
  }
  bool drops_failed_program() const {
    return drops() && has_programs(experiment_.settings) &&
           experiment_.settings.failure.program == RunSettings::Failure::Program::drop;
  }
  /// Gives up neighbors, and the observer, that are silent for too long.
  void check_deadlines();
  void judge_observer(Instant now) {
    const std::optional<std::string> how = failure_detector_.lost_observer(now);
    if (!how) return;
    if (!drops()) return end_with({3, *how});
    control_.notice("peer " + std::to_string(id()) + ": " + *how +
                    "; the peers go on, each keeps its own model");
    failure_detector_.set_observed(false);
    session_.turn_from_observer(peer_->needed_from());
    peer_->detach_from_observer();
  }
  /// If a lost observer is heard again, goes on with it.
  void look_for_observer() {
    if (!failure_detector_.hears_observer(monotonic_now())) return;
    control_.notice("peer " + std::to_string(id()) + " hears the observer again");
    failure_detector_.set_observed(true);
    session_.turn_from_observer(peer_->needed_from());
    peer_->attach_to_observer();
  }
  bool drops() const { return experiment_.settings.failure.drops(); }
  /// True if the run has a hub, and `peer` is it, as far as this peer knows.
  bool is_hub(PeerId peer) const {
    return experiment_.method->pattern.has_hub && peer == peer_->hub().value_or(hub_id);
  }
  /// The hub with which this worker trains is gone, so the worker ends. If the hub is alive, the run goes on
  /// without the worker; if not, the observer ends it. So the worker says no more than that it leaves.
  void lose_hub(const std::string& how) {
    if (std::exchange(leaving_, Leaving::alone) == Leaving::alone) return;
    stop();
    session_.tell_observer({FrameKind::parted, peer_->iteration(), {}});
    end_with({3, "the hub, peer " + std::to_string(*peer_->hub()) + ", was lost: " + how + " (iteration " +
                     std::to_string(peer_->iteration() + 1) + ")"});
  }
  /// This hub was silent for too long: its standby has taken over, and the run goes on without it.
  void end_as_replaced() {
    if (std::exchange(leaving_, Leaving::alone) == Leaving::alone) return;
    stop();
    session_.tell_observer({FrameKind::parted, peer_->iteration(), {}});
    const std::string why = "peer " + std::to_string(*experiment_.settings.failure.hub_standby) +
                            " has taken over from this hub, which was silent for too long (iteration " +
                            std::to_string(peer_->iteration() + 1) + ")";
    control_.notice("peer " + std::to_string(id()) + ": " + why);
    end_with({3, why, true});
  }
  /// How long a worker waits for the standby, which may find out later that the hub is lost: it may be in the
  /// middle of its gradients.
  Duration patience_with_standby(Instant now) {
    const auto rounds = static_cast<std::int64_t>(std::max<std::uint64_t>(1, peer_->iteration()));
    return ArrivalDeadline::times_lost_after * experiment_.settings.failure.lost_after +
           3 * (meter_.since_begin(now) / rounds);
  }
  /// Gives up, or believes the standby, where the hub is lost and has one.
  void judge_hub_with_standby(Instant now) {
    if (peer_->hears_claim() && failure_detector_.is_silent(hub_id, now))
      part_from(hub_id,
                "peer " + std::to_string(*experiment_.settings.failure.hub_standby) + " has taken over");
    if (peer_->awaits_standby() && now - failure_detector_.waits_since() > patience_with_standby(now))
      lose_hub("it has not taken over from peer " + std::to_string(hub_id));
    if (peer_->was_mistaken()) lose_hub("it has gone on without this peer, which had taken over");
  }
  /// Policy "drop": a neighbor is gone, or takes this peer for gone.
  void part_from(PeerId neighbor, const std::string& why);
  /// Hands a change of an edge, if there is one, to the session.
  void send_edge_request(const std::optional<EdgeRequest>& request) {
    if (!request) return;
    session_.send_edge_request(*request);
    if (request->what != EdgeRequest::What::take && request->what != EdgeRequest::What::agree) return;
    control_.notice("peer " + std::to_string(request->neighbor) + " is back at peer " + std::to_string(id()) +
                    ", from iteration " + std::to_string(request->iteration) + " on");
  }
  /// Ends early: tells the others why, unless this process leaves alone. They tell their own neighbors in
  /// turn, so all know it even without an observer.
  PeerEnd leave();
  const PeerMeters& meters() { return meter_.read(peer_->counters()); }
  PeerId id() const { return peer_->id(); }
  bool has_started() const { return stage_ == Stage::trains || stage_ == Stage::stopped; }

  const Experiment<Scalar>& experiment_;
  const RunControl& control_;
  PeerSession& session_;
  PacketPool packets_;
  CheckpointKeeper<Scalar> keeper_;
  SendingTime sending_;
  std::unique_ptr<Peer<Scalar>> peer_;
  EventPump pump_;
  FailureDetector failure_detector_;
  PeerMeter meter_;
  PeerTimeline timeline_;
  GradientPace pace_;
  TrainingTraffic& traffic_;
  RoundClock round_clock_;
  std::uint64_t announced_from_ = 1;  // the iteration that neighbors know this peer to be in
  enum class Stage {
    awaits_start,
    restored,  // from a checkpoint, and awaits the start
    trains,
    stopped,
  } stage_ = Stage::awaits_start;
  std::vector<DataArrived> early_;  // kept in the first stage: the log that records them is not begun yet
  std::optional<int> run_code_;     // the run's exit code, once all peers have ended
  std::optional<PeerEnd> end_;
  enum class Leaving {
    stays,
    interrupted,
    alone,
    left_behind,  // the run goes on, or ends, without this peer
  } leaving_ = Leaving::stays;
  ScoreDesk<Scalar> scores_;
  ComputeThread compute_thread_;  // last: it uses the others
};

}  // namespace hearsay

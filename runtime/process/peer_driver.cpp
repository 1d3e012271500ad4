#include "runtime/process/peer_driver.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>

#include "runtime/checkpoint/replay.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/participant/score.hpp"
#include "runtime/record/evaluation_payload.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

template <class Scalar>
PeerDriver<Scalar>::PeerDriver(const Experiment<Scalar>& experiment, Participant<Scalar>& participant,
                               PacketPool& packets, PeerSockets& sockets, TrainingTraffic& traffic,
                               SharedSlots* slots, const RunControl& control)
    : experiment_(experiment),
      participant_(participant),
      packets_(packets),
      sockets_(sockets),
      traffic_(traffic),
      slots_(slots),
      control_(control),
      keeper_(experiment, participant.id(), control.notice),
      pace_(experiment.settings, participant.id()) {}

template <class Scalar>
PeerEnd PeerDriver<Scalar>::run() {
  try {
    drive();
  } catch (...) {
    if (report_) compute_thread_.wait();  // the work uses the participant
    throw;
  }
  carry_out();
  const Vector<Scalar>& model = participant_.peer().model();
  experiment_.problem.objectives[participant_.id()]->take_final_model(model);  // nothing more is asked
  if (judges_own() && participant_.has_started()) keep_model_at_home();
  return *participant_.end();
}

template <class Scalar>
void PeerDriver<Scalar>::drive() {
  while (!participant_.end() || report_) {
    look_around();
    const bool has_heard_all = advance();
    if (report_ && compute_thread_.is_done() && is_time_to_report()) {
      end_background_work();
    } else if (const Work* const work = participant_.next_work(monotonic_now())) {
      carry_out();
      if (control_.on_progress) tell_progress();
      begin(std::visit([this](const auto& wanted) { return job(wanted); }, *work));
      serve_now_and_then();
    } else if (has_heard_all && (!participant_.end() || report_)) {
      wait_for_sockets();
    }
  }
}

template <class Scalar>
void PeerDriver<Scalar>::look_around() {
  if (control_.is_asked_to_leave())
    participant_.leave(monotonic_now());
  else if (control_.is_interrupted())
    participant_.interrupt(monotonic_now());
  if (control_.observer_is_gone()) participant_.note_end_of_observer();
  if (control_.on_progress) tell_progress();
}

/// Not while work is under way, since it uses the peer.
template <class Scalar>
void PeerDriver<Scalar>::tell_progress() {
  const Instant now = monotonic_now();
  const bool is_news = participant_.has_started() && !tells_.start;
  if (report_ || (now < tells_.again && !is_news)) return;
  tells_ = {now + between_progress, participant_.has_started()};
  control_.on_progress({participant_.has_started(), participant_.peer().iteration(), meters()});
}

template <class Scalar>
bool PeerDriver<Scalar>::advance() {
  bool has_heard_all = false;
  for (int k = 0; k < most_events_a_turn && !has_heard_all; ++k) {
    has_heard_all = !participant_.advance(monotonic_now());
    carry_out();
    if (!has_heard_all) serve_now_and_then();
  }
  return has_heard_all;
}

template <class Scalar>
void PeerDriver<Scalar>::carry_out() {
  for (const Heard& heard : participant_.heard()) keeper_.hear(heard);
  participant_.heard().clear();
  for (const PeerNews& news : participant_.news()) {
    control_.notice(news.sentence);
    if (news.kind == PeerNews::Kind::joins) pace_.resume_at(participant_.peer().iteration());
  }
  participant_.news().clear();
  sockets_.carry_out();
  participant_.peer().let_go_of_copied();
  // Here, not where the last copy of an evaluation goes: at the end of the process it goes unread.
  if (slots_) slots_->give_back(participant_.id());
}

template <class Scalar>
void PeerDriver<Scalar>::wait_for_sockets() {
  const TrainingTraffic::Wait wait(traffic_, participant_.awaits_messages());
  const Instant until = std::min(participant_.look_again(), monotonic_now() + poll_interval);
  if (!report_)
    serve(until);
  else if (compute_thread_.is_done())
    serve(std::min(until, pace_.ended()));
  else
    serve(until, compute_thread_.done_fd());
}

template <class Scalar>
void PeerDriver<Scalar>::serve(Instant until, int also) {
  sockets_.serve(until, also);
  served_at_ = monotonic_now();
}

template <class Scalar>
void PeerDriver<Scalar>::serve_now_and_then() {
  if (const Instant now = monotonic_now(); now - served_at_ > max_serve_gap) serve(now);
}

// Work.

/// False if what is done is a gradient, and a peer that is not always there has not had the time for it yet.
/// Once nothing depends on it any more, it is ready.
template <class Scalar>
bool PeerDriver<Scalar>::is_time_to_report() {
  if (pace_.ended() <= monotonic_now()) return true;
  if (!participant_.end() && !participant_.is_told_to_stop()) return false;
  pace_.cut_short(monotonic_now());
  return true;
}

template <class Scalar>
void PeerDriver<Scalar>::begin(Job job) {
  if (job.takes_long) {
    report_ = std::move(job.report);
    return compute_thread_.begin(std::move(job.work));
  }
  job.work();
  job.report();
  carry_out();
}

template <class Scalar>
void PeerDriver<Scalar>::end_background_work() {
  const std::function<void()> report = std::exchange(report_, nullptr);
  compute_thread_.end();
  if (cannot_)
    participant_.give_up(*std::exchange(cannot_, std::nullopt), monotonic_now());
  else
    report();
  carry_out();
}

template <class Scalar>
auto PeerDriver<Scalar>::job(const RestorePeer& restore) -> Job {
  const auto work = [this, at = restore.iteration] {
    try {
      restored_ = keeper_.restored(at, packets_);
      restored_.session =
          replay(experiment_, *restored_.peer, std::move(restored_.session), restored_.log, restored_.meters);
    } catch (const Misuse& misuse) {
      cannot_ = PeerEnd{2, misuse.what()};
    } catch (const std::exception& thrown) {  // an objective that is asked again
      cannot_ = PeerEnd{
          3, "peer " + std::to_string(participant_.id()) + " could not be restored: " + thrown.what()};
    }
  };
  return {work, [this] {
            pace_.resume_at(restored_.peer->iteration());
            participant_.restored(std::move(restored_.peer), std::move(restored_.session),
                                  std::move(restored_.meters), monotonic_now());
            restored_.log.clear();
          }};
}

template <class Scalar>
auto PeerDriver<Scalar>::job(const ComputeGradient& gradient) -> Job {
  gradient_began_ = monotonic_now();
  // The time of a gradient that a program computes is not foreseen by the last one.
  const bool takes_long = experiment_.problem.at_home || pace_.is_long(gradient.amount);
  const Instant start_of_run = *participant_.session().origin();
  const auto compute = [this, start_of_run, amount = gradient.amount] {
    failure_ = failure_of([&] {
      pace_.run(gradient_began_, start_of_run, amount, [this] { participant_.peer().compute_gradient(); });
    });
  };
  const auto report = [this] {
    report_objective(
        [this] { participant_.gradient_arrived(gradient_began_, pace_.ended(), monotonic_now()); });
  };
  return {compute, report, takes_long};
}

template <class Scalar>
auto PeerDriver<Scalar>::job(const TakeCheckpoint& checkpoint) -> Job {
  meters_before_work_ = meters();
  return {[this, &session = checkpoint.session] {
            keeper_.save(participant_.peer(), session, meters_before_work_);
          },
          [this] { participant_.checkpoint_taken(monotonic_now()); }};
}

template <class Scalar>
auto PeerDriver<Scalar>::job(const MakeEvaluation&) -> Job {
  meters_before_work_ = meters();  // here: the sockets are served meanwhile
  const auto make = [this] { failure_ = failure_of([this] { payload_ = evaluation_in_place(); }); };
  const auto report = [this] {
    report_objective([this] { participant_.evaluation_made(std::move(payload_), monotonic_now()); });
  };
  return {make, report, judges_own()};
}

template <class Scalar>
SharedBytes PeerDriver<Scalar>::evaluation_in_place() const {
  const Peer<Scalar>& peer = participant_.peer();
  const Vector<Scalar>& model = peer.told_model();
  if (slots_ && !judges_own()) {
    const std::vector<std::byte> head = encode_snapshot_head(meters_before_work_);
    if (auto in_place = slots_->put(participant_.id(), peer.iteration(), peer.last_verdict().value_or(0),
                                    {head, std::as_bytes(view(model))}))
      return *in_place;
  }
  return evaluation_payload(experiment_.problem, experiment_.settings.run, participant_.id(), model,
                            meters_before_work_);
}

template <class Scalar>
auto PeerDriver<Scalar>::job(const ComputeScore& score) -> Job {
  const auto compute = [this, &question = score.question] {
    failure_ = failure_of([&] { answer_ = answer_to(question, experiment_.problem, participant_.id()); });
  };
  const auto report = [this] {
    report_objective([this] { participant_.scored(std::move(answer_), monotonic_now()); });
  };
  return {compute, report};
}

template <class Scalar>
auto PeerDriver<Scalar>::job(const MakeResult&) -> Job {
  const auto make = [this] {
    payload_ = encode_outcome(
        peer_outcome(participant_.peer(), meters(), peak_memory_bytes(), sockets_.congestions()));
  };
  return {make, [this] { participant_.result_made(std::move(payload_), monotonic_now()); }, false};
}

template <class Scalar>
auto PeerDriver<Scalar>::job(const KeepModel&) -> Job {
  const auto keep = [this] {
    try {
      model_file_ = keep_own_model();
    } catch (const Misuse& misuse) {
      cannot_ = PeerEnd{2, misuse.what()};
    }
  };
  return {keep, [this] { participant_.model_kept(model_file_, monotonic_now()); }};
}

// The record.

template <class Scalar>
PeerMeters PeerDriver<Scalar>::meters() const {
  PeerMeters all = participant_.meters(monotonic_now());
  const SocketCounters at_sockets = sockets_.counters();
  all.garbage += at_sockets.garbage;
  all.refused += at_sockets.refused;
  all.retransmitted += at_sockets.emulated_losses;
  return all;
}

template <class Scalar>
void PeerDriver<Scalar>::keep_model_at_home() const {
  try {
    keep_own_model();
  } catch (const Misuse& misuse) {
    control_.notice(misuse.what());
  }
}

template <class Scalar>
std::string PeerDriver<Scalar>::keep_own_model() const {
  const std::filesystem::path& output = experiment_.settings.run.output;
  std::error_code ignored;
  std::filesystem::create_directories(output, ignored);
  const std::filesystem::path file = output / ("model-" + std::to_string(participant_.id()) + ".npy");
  write_npy<Scalar>(file, participant_.peer().told_model());
  return file.string();
}

template class PeerDriver<float>;
template class PeerDriver<double>;

}  // namespace hearsay

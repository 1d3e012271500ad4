#include "runtime/simulator/virtual_process.hpp"

#include <utility>
#include <variant>

#include "runtime/foundation/peak_memory.hpp"
#include "runtime/network/compute_time.hpp"
#include "runtime/participant/objective_failure.hpp"
#include "runtime/participant/score.hpp"
#include "runtime/record/evaluation_payload.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/peer_outcome.hpp"

namespace hearsay {

namespace {

/// Does each kind of work.
template <class Scalar>
class Worker {
 public:
  Worker(VirtualProcess<Scalar>& process, const Experiment<Scalar>& experiment, Duration measured_gradient,
         PacketPool& packets, Instant now)
      : process_(process),
        participant_(*process.participant),
        experiment_(experiment),
        measured_gradient_(measured_gradient),
        packets_(packets),
        now_(now) {}

  std::optional<Duration> operator()(const RestorePeer&) {
    auto peer = make_peer(experiment_, participant_.id(), packets_, checkpoint_rule(experiment_.settings));
    PeerMeters meters;
    SessionState session = process_.archive->restore(experiment_, *peer, meters);
    process_.gradients = peer->iteration();
    participant_.restored(std::move(peer), std::move(session), std::move(meters), now_);
    return std::nullopt;
  }

  std::optional<Duration> operator()(const ComputeGradient& gradient) {
    if (has_failed([&] { participant_.peer().compute_gradient(); })) return std::nullopt;
    const RunSettings& settings = experiment_.settings;
    const PeerId id = participant_.id();
    const Duration takes = compute_time(network_of(settings, id).compute, settings.run.seed, id,
                                        process_.gradients++, gradient.amount, measured_gradient_);
    if (takes > Duration{0}) return takes;
    participant_.gradient_arrived(now_, now_, now_);
    return std::nullopt;
  }

  std::optional<Duration> operator()(const TakeCheckpoint& checkpoint) {
    process_.archive->save(participant_.peer(), checkpoint.session, participant_.meters(now_));
    participant_.checkpoint_taken(now_);
    return std::nullopt;
  }

  std::optional<Duration> operator()(const MakeEvaluation&) {
    std::vector<std::byte> payload;
    const bool failed = has_failed([&] {
      payload = evaluation_payload(experiment_.problem, experiment_.settings.run, participant_.id(),
                                   participant_.peer().told_model(), participant_.meters(now_));
    });
    if (!failed) participant_.evaluation_made(std::move(payload), now_);
    return std::nullopt;
  }

  std::optional<Duration> operator()(const ComputeScore& score) {
    std::optional<std::vector<std::byte>> answer;
    const bool failed =
        has_failed([&] { answer = answer_to(score.question, experiment_.problem, participant_.id()); });
    if (!failed) participant_.scored(std::move(answer), now_);
    return std::nullopt;
  }

  std::optional<Duration> operator()(const MakeResult&) {
    participant_.result_made(
        encode_outcome(peer_outcome(participant_.peer(), participant_.meters(now_), peak_memory_bytes())),
        now_);
    return std::nullopt;
  }

  std::optional<Duration> operator()(const KeepModel&) {
    participant_.model_kept("no file, since this is a simulation", now_);
    return std::nullopt;
  }

 private:
  template <class Call>
  bool has_failed(const Call& call) {
    const auto failure = failure_of(call);
    if (failure) participant_.failed(*failure, now_);
    return failure.has_value();
  }

  VirtualProcess<Scalar>& process_;
  Participant<Scalar>& participant_;
  const Experiment<Scalar>& experiment_;
  Duration measured_gradient_;
  PacketPool& packets_;
  Instant now_;
};

}  // namespace

template <class Scalar>
std::optional<Duration> do_work(VirtualProcess<Scalar>& process, const Work& work,
                                const Experiment<Scalar>& experiment, Duration measured_gradient,
                                PacketPool& packets, Instant now) {
  return std::visit(Worker<Scalar>(process, experiment, measured_gradient, packets, now), work);
}

template std::optional<Duration> do_work<float>(VirtualProcess<float>&, const Work&, const Experiment<float>&,
                                                Duration, PacketPool&, Instant);
template std::optional<Duration> do_work<double>(VirtualProcess<double>&, const Work&,
                                                 const Experiment<double>&, Duration, PacketPool&, Instant);

}  // namespace hearsay

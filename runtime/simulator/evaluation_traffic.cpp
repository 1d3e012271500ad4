#include "runtime/simulator/evaluation_traffic.hpp"

#include <utility>

#include "runtime/peer/peer.hpp"

namespace hearsay {

template <class Scalar>
EvaluationTraffic<Scalar>::EvaluationTraffic(const RunSettings& settings, PeerId peer_count,
                                             EvaluationFrameBytes bytes)
    : bytes_(bytes),
      egress_(sending_rate(settings.network), settings.framing),
      ingress_(receiving_rate(settings.network), settings.framing),
      from_observer_(arrival_rate(settings, observer_id(peer_count), 0)) {
  const PeerId host = observer_id(peer_count);
  const std::uint64_t seed = settings.run.seed;
  for (PeerId id = 0; id < peer_count; ++id)
    peers_.push_back({Link(seed, id, host, link_settings(settings, id, host)),
                      arrival_rate(settings, id, host),
                      Link(seed, host, id, link_settings(settings, host, id))});
}

template <class Scalar>
auto EvaluationTraffic<Scalar>::send_down(Instant now, EvaluationFrame<Scalar> frame) -> Way {
  const Departure departure = egress_.send(now, bytes_.of(frame.kind), peers_[frame.peer].down);
  return {in_flight_.add(std::move(frame)), departure.due};
}

template <class Scalar>
Instant EvaluationTraffic<Scalar>::arrive(std::uint32_t place, Instant now, IngressPort& port) {
  const EvaluationFrame<Scalar>& frame = in_flight_[place];
  const std::uint64_t bytes = bytes_.of(frame.kind);
  const bool goes_up = frame.kind == FrameKind::evaluation || frame.kind == FrameKind::answer;
  return goes_up ? ingress_.release(now, bytes, peers_[frame.peer].arrival)
                 : port.release(now, bytes, from_observer_);
}

template <class Scalar>
bool EvaluationTraffic<Scalar>::is_last_answer(std::uint64_t iteration) {
  if (++answers_[iteration] < peers_.size()) return false;
  answers_.erase(iteration);
  return true;
}

template <class Scalar>
EvaluationFrame<Scalar> report_of(const Experiment<Scalar>& experiment, const Peer<Scalar>& peer,
                                  const PeerMeters& meters) {
  EvaluationFrame<Scalar> frame{
      .kind = FrameKind::evaluation, .peer = peer.id(), .iteration = peer.iteration(), .meters = meters};
  const RunSettings::Run& run = experiment.settings.run;
  if (run.evaluate == RunSettings::Run::Evaluate::own)
    frame.own = own_evaluation(experiment.problem, peer.id(), peer.model(), run.seed);
  else
    frame.model = peer.told_model();
  return frame;
}

template class EvaluationTraffic<float>;
template class EvaluationTraffic<double>;
template EvaluationFrame<float> report_of<float>(const Experiment<float>&, const Peer<float>&,
                                                 const PeerMeters&);
template EvaluationFrame<double> report_of<double>(const Experiment<double>&, const Peer<double>&,
                                                   const PeerMeters&);

}  // namespace hearsay

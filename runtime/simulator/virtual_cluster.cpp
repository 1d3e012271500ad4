#include "runtime/simulator/virtual_cluster.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/network/link.hpp"
#include "runtime/observer/observer_input.hpp"

namespace hearsay {

namespace {

/// How often the observer looks around at least.
constexpr Duration poll_interval = std::chrono::milliseconds(50);

}  // namespace

template <class Scalar>
VirtualObserver<Scalar>::VirtualObserver(const ClusterInput<Scalar>& cluster, const RunRecord& earlier)
    : evaluator(cluster.experiment.problem, cluster.experiment.settings.run,
                evaluated_in(*cluster.experiment.method, cluster.experiment.settings),
                who_judges(cluster.experiment.problem)),
      session(observer_input(cluster.experiment, cluster.start_patience), evaluator, cluster.time.now(),
              earlier) {}

template <class Scalar>
VirtualCluster<Scalar>::VirtualCluster(ClusterInput<Scalar> input)
    : input_(std::move(input)), agreement_(agreement_of(input_.experiment)) {
  place_observer({});
  for (PeerId id = 0; id < peer_count(); ++id)
    processes_.emplace_back(id, input_, agreement_, packets_,
                            [this, id](PeerFrame word) { send(id, std::move(word)); });
}

template <class Scalar>
void VirtualCluster<Scalar>::begin() {
  for (PeerId id = 0; id < peer_count(); ++id)
    if (!std::ranges::binary_search(input_.experiment.settings.failure.join_later, id))
      processes_[id].start(false);
  tick_observer();
}

template <class Scalar>
void VirtualCluster<Scalar>::tick_observer() {
  const Instant now = input_.time.now();
  observer().tick(now);
  observer().judge_silence(now);
  serve_observer();
  input_.time.at(now + poll_interval, [this] { tick_observer(); });
}

template <class Scalar>
void VirtualCluster<Scalar>::serve_observer() {
  std::vector<ObserverFrame> words;
  words.swap(observer().outbox());
  for (std::size_t next = 0; next < words.size(); ++next) {
    send(std::move(words[next]));
    std::ranges::move(observer().outbox(), std::back_inserter(words));
    observer().outbox().clear();
  }
  input_.host.observer_went_on();
}

template <class Scalar>
void VirtualCluster<Scalar>::send(ObserverFrame word) {
  const PeerId to = word.to;
  const VirtualProcess<Scalar>& process = processes_[to];
  if (word.only_to && (!process.is_up() || *word.only_to != process.incarnation()))
    return observer().note_unreachable(to, *word.only_to);  // the connection ended with the process
  if (!process.is_up()) observer().note_unreachable(to);
  word.header.payload_bytes = word.payload.size();
  const VirtualFrame frame{.from = observer_id(peer_count()),
                           .to = to,
                           .header = word.header,
                           .payload = word.payload,
                           .has_connection = process.is_up()};
  input_.network.carry(frame, [this, to, head = word.header, payload = word.payload](std::optional<Instant>) {
    processes_[to].happen([this, to, head, payload] { processes_[to].hear_observer(head, payload); });
  });
}

template <class Scalar>
void VirtualCluster<Scalar>::send(PeerId from, PeerFrame word) {
  const std::span<const std::byte> payload = word.packet ? word.packet.bytes() : word.payload.bytes();
  word.header.payload_bytes = payload.size();
  const bool is_to_observer = word.way == PeerFrame::Way::observer;
  const VirtualFrame frame{.from = from,
                           .to = is_to_observer ? observer_id(peer_count()) : word.to,
                           .header = word.header,
                           .payload = payload,
                           .is_message = bool(word.packet)};
  input_.network.carry(frame, [this, from, word](std::optional<Instant> due) { arrive(from, word, due); });
}

template <class Scalar>
void VirtualCluster<Scalar>::arrive(PeerId from, const PeerFrame& word, std::optional<Instant> due) {
  if (word.way == PeerFrame::Way::observer) {
    observer().hear(word.header, word.payload, input_.time.now());
    return serve_observer();
  }
  VirtualProcess<Scalar>& process = processes_[word.to];
  process.happen([&process, from, word, due] { process.hear(from, word, due); });
}

template class VirtualCluster<float>;
template class VirtualCluster<double>;

}  // namespace hearsay

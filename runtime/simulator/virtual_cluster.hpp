#pragma once

#include <deque>
#include <optional>

#include "runtime/observer/observer.hpp"
#include "runtime/observer/observer_session.hpp"
#include "runtime/simulator/cluster_host.hpp"
#include "runtime/simulator/virtual_process.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

/// The observer of a run: its session, and what evaluates the models for it.
template <class Scalar>
struct VirtualObserver {
  VirtualObserver(const ClusterInput<Scalar>& cluster, const RunRecord& earlier);

  Observer<Scalar> evaluator;
  ObserverSession session;
};

/// All processes of a run in virtual time, and the observer. Participants and the observer's session decide
/// as they do in processes; what they ask for is done here, and their frames are carried by the network that
/// is handed in. What happens to the processes is up to the host: `hearsay simulate` (FaultyRun), or a test.
template <class Scalar>
class VirtualCluster {
 public:
  explicit VirtualCluster(ClusterInput<Scalar> input);

  /// Starts the processes, but those of failure.join_later, and the observer.
  void begin();
  VirtualProcess<Scalar>& process(PeerId id) { return processes_[id]; }
  const VirtualProcess<Scalar>& process(PeerId id) const { return processes_[id]; }
  ObserverSession& observer() { return observer_->session; }
  const ObserverSession& observer() const { return observer_->session; }
  Observer<Scalar>& evaluator() { return observer_->evaluator; }
  const Observer<Scalar>& evaluator() const { return observer_->evaluator; }
  /// Puts an observer in place of the one that was there, which ends. It goes on from `earlier`.
  void place_observer(const RunRecord& earlier) { observer_.emplace(input_, earlier); }
  /// Sends what the observer wants sent. Must be called after every call of the observer.
  void serve_observer();

 private:
  PeerId peer_count() const { return input_.experiment.peer_count(); }
  void send(PeerId from, PeerFrame word);
  /// A frame has come to the process that is there then, or to the observer.
  void arrive(PeerId from, const PeerFrame& word, std::optional<Instant> due);
  void send(ObserverFrame word);
  void tick_observer();

  ClusterInput<Scalar> input_;
  const Agreement agreement_;  // computed once, as long as the topology is
  PacketPool packets_;
  std::optional<VirtualObserver<Scalar>> observer_;
  std::deque<VirtualProcess<Scalar>> processes_;
};

}  // namespace hearsay

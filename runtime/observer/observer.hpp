#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// The answer to an evaluation: whether the peers go on beyond iteration evaluated + evaluate_every.
struct Verdict {
  std::uint64_t evaluated;
  bool go_on;
};

/// Collects the models of all peers at the same iteration, evaluates their mean and decides whether the run goes on.
/// Pure: used unchanged by the simulator and, behind sockets of its own that no shaped link touches, by the ZeroMQ
/// driver. Snapshots of several iterations may be under way; each peer sends its own in order.
template <class Scalar>
class Observer {
 public:
  Observer(const Problem<Scalar>& problem, std::optional<double> target_loss)
      : problem_(&problem),
        target_loss_(target_loss),
        counts_from_(problem.peer_count()),
        last_meters_(problem.peer_count()),
        before_(problem.peer_count()) {}

  /// Evaluates x_0, before anything has happened. To be called once, first.
  Verdict begin();
  /// Or takes up a run of which this is known already, x_0 included; the verdicts on it.
  std::vector<Verdict> resume(const std::vector<Evaluation>& record);

  /// Peer `peer` has ended iteration `iteration` with this model. The verdict, when it was the last one to do so.
  std::optional<Verdict> take(PeerId peer, std::uint64_t iteration, const Vector<Scalar>& model,
                              const PeerMeters& meters);

  /// Peer `peer` is gone: evaluations are of the others from now on, those that wait for it included. The verdicts
  /// on those that are complete without it, in order.
  std::vector<Verdict> drop(PeerId peer);
  /// It is back: evaluations from that at `iteration` on are of it, too.
  void take_back(PeerId peer, std::uint64_t iteration);
  /// The same of a new peer in its place, whose meters begin at 0: what the earlier one did still counts.
  void take_in(PeerId peer, std::uint64_t iteration);

  const std::vector<Evaluation>& evaluations() const { return evaluations_; }
  const std::optional<Evaluation>& target() const { return target_; }
  /// The evaluation whose loss was not finite.
  const std::optional<Evaluation>& diverged() const { return diverged_; }
  /// What a peer said last that it has done.
  const PeerMeters& last_meters(PeerId peer) const { return last_meters_[peer]; }
  /// Of the last complete evaluation; empty vectors for peers that are gone.
  const std::vector<Vector<Scalar>>& models() const { return models_; }
  const Vector<Scalar>& mean_model() const { return mean_; }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  struct Gathering {
    std::vector<Vector<Scalar>> models;
    std::vector<PeerMeters> meters;
  };
  bool complete(std::uint64_t iteration, const Gathering& gathered) const;
  Evaluation evaluate(std::uint64_t iteration, const Gathering& gathered);
  Verdict judge(const Evaluation& evaluation);

  const Problem<Scalar>* problem_;
  std::optional<double> target_loss_;
  std::map<std::uint64_t, Gathering> gathering_;
  std::vector<std::uint64_t> counts_from_;  // of each peer: the first evaluation that wants its model
  std::vector<PeerMeters> last_meters_;     // of each peer
  struct Before {                           // what was done under the name of a peer before it joined
    std::uint64_t bytes_sent = 0;
    std::uint64_t messages_sent = 0;
    std::uint64_t gradient_evaluations = 0;
  };
  std::vector<Before> before_;
  std::vector<Evaluation> evaluations_;
  std::optional<Evaluation> target_;
  std::optional<Evaluation> diverged_;
  std::vector<Vector<Scalar>> models_;
  Vector<Scalar> mean_;
};

/// The outcome of a run whose peers have ended as `peers` say: diverged if one of them or the loss did, else at its target
/// or done. The driver adds `seconds`, and overrides the status where the run was interrupted or a peer lost.
template <class Scalar>
RunOutcome<Scalar> conclude(const Observer<Scalar>& observer, std::vector<PeerOutcome> peers);

/// Mean of the models, summed in peer order in double; without empty ones, of peers that are gone.
template <class Scalar>
Vector<Scalar> mean_of(const std::vector<Vector<Scalar>>& models);

/// sqrt((1/n) sum_i ||x_i - mean||^2)
template <class Scalar>
double consensus_distance(const std::vector<Vector<Scalar>>& models, const Vector<Scalar>& mean);

}  // namespace hearsay

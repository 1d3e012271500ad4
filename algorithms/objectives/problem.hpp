#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/objectives/objective.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The names that a peer's files give to its data at home. A member is empty if the files do not name it.
struct DataNames {
  std::vector<std::string> features = {};  ///< by column of the samples
  std::string target = {};
  std::string labels = {};  ///< those of the classes 0, 1, ...: "3 7 8"
};

/// Digests of the samples that a peer has at home.
struct HomeDigest {
  std::uint64_t samples = 0;               ///< of data.source, those held out among them
  std::optional<std::uint64_t> test = {};  ///< of test samples that are none of these
};

/// A killed program was started anew.
struct ProgramRestart {
  PeerId peer = 0;
  std::uint64_t iteration = 0;  ///< of the last gradient that it was asked for
};

/// What n peers minimise together: (1/n) sum_i f_i(x) + h(x), from a common start. A hub without data is a
/// peer, but none of the n.
template <class Scalar>
struct Problem {
  std::vector<std::unique_ptr<const Objective<Scalar>>> objectives;  ///< f_0, ..., f_{n-1}
  Vector<Scalar> initial;                                            ///< x_0, the same at every peer
  std::shared_ptr<const Regularizer<Scalar>> regularizer;            ///< h; null means 0
  /// Returns the share of the `judged` samples that a model classifies correctly, in [0, 1]. Empty if the
  /// model does not classify.
  std::function<double(const Vector<Scalar>&)> accuracy;
  JudgedSamples judged = {};
  /// The minimiser of the pooled objective, if it is known (quadratics).
  std::optional<Vector<Scalar>> minimiser;
  /// A lower bound of every f_i and f_i + h; empty if none is known (a program's, a user's own).
  std::optional<double> least_loss = {};
  /// True if the data of each objective are at its own peer only. No peer, the observer included, may then
  /// ask the objective of another: those of other hosts are stand-ins, and processes on one host must not ask
  /// one program at the same time.
  bool at_home = false;
  /// Tells the programs behind the objectives how the run has ended: exit code, a sentence or nothing, the
  /// record's folder or nothing, and the peers that it has dropped. Empty if there are no programs.
  std::function<void(int code, const std::string& reason, const std::string& output,
                     std::span<const PeerId> dropped)>
      say_end = {};
  /// Returns when killed programs were started anew, so far. Empty if there are no programs.
  std::function<std::vector<ProgramRestart>()> program_restarts = {};
  /// The judged samples as an objective, the sum of their losses; null if the data are at home or no samples.
  std::shared_ptr<const Objective<Scalar>> judge = {};
  /// Digest of the data; 0 if they are at home. Peers compare it before they train together.
  std::uint64_t data_digest = 0;
  /// Digest of the test samples that are none of the data; empty if there are none, or the data are at home.
  /// It is compared only when a run is resumed.
  std::optional<std::uint64_t> test_digest = {};
  /// The names of the data at home: peers whose files have names compare them. If this process has several
  /// peers, which all have the same names, they are those of the first peer with names.
  DataNames names = {};
  /// Of each peer's own data, if they are at home and in files; of a peer whose data are elsewhere there is
  /// none. Nobody but that peer knows it.
  std::vector<HomeDigest> home_digests = {};
  /// Digest of the initial parameters and the layers, which peers compare, too.
  std::uint64_t model_digest = 0;

  Index dimension() const { return objectives.front()->dimension(); }
  std::size_t peer_count() const { return objectives.size(); }
  /// n, the peers with data: all of them, unless a hub has none.
  std::size_t worker_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(objectives, [](const auto& objective) { return objective->has_data(); }));
  }

  /// The first objective of a peer that has data.
  const Objective<Scalar>& first_with_data() const {
    return **std::ranges::find_if(objectives, [](const auto& objective) { return objective->has_data(); });
  }

  /// The training samples of all peers; 0 if the objectives are of no samples.
  Index sample_count() const {
    Index count = 0;
    for (const auto& objective : objectives) count += objective->sample_count();
    return count;
  }

  /// The pooled objective (1/n) sum_i f_i(x) + h(x), summed in peer order: of the training data, always.
  double loss(const Vector<Scalar>& x) const {
    double sum = 0.0;
    for (const auto& objective : objectives) sum += objective->loss(x);
    return sum / static_cast<double>(worker_count()) + (regularizer ? regularizer->value(x) : 0.0);
  }

  /// Returns the score that peer `peer` gives to its own model: f_i(x) + h(x), and how many samples x
  /// classifies correctly, of its own ones if the data are at home, else of `judged`.
  LocalScore own_score(PeerId peer, const Vector<Scalar>& x) const {
    LocalScore own = objectives[peer]->score(x);
    if (regularizer) own.loss += regularizer->value(x);
    if (!accuracy) return own;
    own.judged = judged.count;
    own.hits = static_cast<std::uint64_t>(std::llround(accuracy(x) * static_cast<double>(judged.count)));
    own.of_test_samples = judged.are_test;
    return own;
  }

  /// Returns the pooled objective and the accuracy. Asks every objective.
  ModelScore score(const Vector<Scalar>& x) const {
    std::vector<LocalScore> scores;
    for (const auto& objective : objectives) scores.push_back(objective->score(x));
    return score_of(scores, x);
  }

  /// Combines the `scores` of x, which are those of some or all peers, in peer order. The loss is `loss(x)`,
  /// bit for bit, if they are those of all peers.
  ModelScore score_of(std::span<const LocalScore> scores, const Vector<Scalar>& x) const {
    ModelScore result = mean_of_own(scores);
    if (regularizer) result.loss += regularizer->value(x);
    if (!accuracy) return result;
    result.accuracy = accuracy(x);
    result.judged = judged;
    return result;
  }

  /// Returns the mean loss of the `scores`, in peer order, and the share of all judged samples that are hits.
  static ModelScore mean_of_own(std::span<const LocalScore> scores) {
    ModelScore result;
    std::uint64_t hits = 0;
    std::size_t with_data = 0;
    for (const LocalScore& score : scores) {
      if (!score.has_data) continue;
      ++with_data;
      result.loss += score.loss;
      result.samples += score.samples;
      hits += score.hits;
      result.judged.count += score.judged;
      result.judged.are_test = score.of_test_samples;
    }
    result.loss /= static_cast<double>(with_data);
    if (result.judged.count > 0)
      result.accuracy = static_cast<double>(hits) / static_cast<double>(result.judged.count);
    return result;
  }
};

}  // namespace hearsay

#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/record/evaluation_payload.hpp"
#include "runtime/session/peer_session.hpp"

namespace hearsay {

/// What an objective has thrown.
struct ObjectiveFailure {
  std::string what;
  bool asks_to_stop = false;  ///< it wants the run to end, as Ctrl-C does
  std::string when = {};      ///< "iteration 15"
};

/// Calls an objective. Returns what it has thrown, if anything.
inline std::optional<ObjectiveFailure> failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const StopAsked& stop) {
    return ObjectiveFailure{stop.what(), true};
  } catch (const std::exception& thrown) {
    return ObjectiveFailure{thrown.what()};
  }
  return std::nullopt;
}

/// What a peer tells the observer of models: its own model or its score, and its scores of mean models.
template <class Scalar>
class ScoreDesk {
 public:
  /// Does some work in the second thread, and serves the sockets meanwhile.
  using Compute = std::function<void(std::function<void()> work)>;
  ScoreDesk(const Experiment<Scalar>& experiment, PeerId id, PeerSession& session, Compute compute)
      : experiment_(experiment), id_(id), session_(session), compute_(std::move(compute)) {}

  void take(ScoreAsked asked) { asked_.push_back(std::move(asked)); }

  /// Answers all that the observer has asked.
  std::optional<ObjectiveFailure> answer() {
    for (const ScoreAsked& asked : std::exchange(asked_, {})) {
      const std::optional<Vector<Scalar>> model = model_in(asked);
      if (!model) continue;
      LocalScore score;
      if (auto failure =
              compute(asked.iteration, [&] { score = experiment_.problem.objectives[id_]->score(*model); }))
        return failure;
      session_.tell_observer({FrameKind::answer, asked.iteration, encode_score(score)});
    }
    return std::nullopt;
  }

  /// Tells the observer how the peer stands after `iteration`.
  std::optional<ObjectiveFailure> tell(std::uint64_t iteration, const Vector<Scalar>& model,
                                       const PeerMeters& meters) {
    std::vector<std::byte> payload;
    const auto make = [&] {
      payload = evaluation_payload(experiment_.problem, experiment_.settings.run, id_, model, meters);
    };
    std::optional<ObjectiveFailure> failure;
    if (judges_own())
      failure = compute(iteration, make);
    else
      make();
    if (!failure) session_.tell_observer({FrameKind::evaluation, iteration, std::move(payload)});
    return failure;
  }

  /// True if the model stays at the peer.
  bool judges_own() const { return experiment_.settings.run.evaluate == RunSettings::Run::Evaluate::own; }

 private:
  /// The model that the observer asks about; that of x_0 is not in the question. Empty if it is malformed.
  std::optional<Vector<Scalar>> model_in(const ScoreAsked& asked) const {
    if (asked.iteration == 0) return experiment_.problem.initial;
    Vector<Scalar> model(experiment_.problem.dimension());
    const std::span<std::byte> bytes = std::as_writable_bytes(view(model));
    if (asked.model.size() != bytes.size()) return std::nullopt;
    std::ranges::copy(asked.model, bytes.begin());
    return model;
  }

  std::optional<ObjectiveFailure> compute(std::uint64_t iteration, const std::function<void()>& call) {
    std::optional<ObjectiveFailure> failure;
    compute_([&] { failure = failure_of(call); });
    if (failure) failure->when = "the evaluation of iteration " + std::to_string(iteration);
    return failure;
  }

  const Experiment<Scalar>& experiment_;
  PeerId id_;
  PeerSession& session_;
  Compute compute_;
  std::vector<ScoreAsked> asked_;  // by the observer, and not answered yet
};

}  // namespace hearsay

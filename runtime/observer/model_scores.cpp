#include "runtime/observer/model_scores.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <optional>
#include <span>

#include "algorithms/objectives/stop_asked.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

template <class Scalar>
LocalScore score_by(PeerId peer, const Problem<Scalar>& problem, const Vector<Scalar>& model) {
  try {
    return problem.objectives[peer]->score(model);
  } catch (const Misuse&) {
    throw;
  } catch (const StopAsked&) {
    throw;
  } catch (const std::exception& thrown) {
    throw FailedObjective(peer, thrown.what());
  }
}

}  // namespace

template <class Scalar>
std::vector<LocalScore> scores_of(const Problem<Scalar>& problem, const Vector<Scalar>& model, Crew& crew) {
  std::vector<LocalScore> scores(problem.peer_count());
  share_out(crew, scores.size(),
            [&](std::size_t k) { scores[k] = score_by(static_cast<PeerId>(k), problem, model); });
  return scores;
}

template <class Scalar>
std::pair<double, double> losses_of(const Problem<Scalar>& problem,
                                    std::span<const std::span<const Scalar>> models, Crew& crew,
                                    const WhenRead<Scalar>& when_read) {
  std::vector<std::optional<double>> of_models(models.size());
  share_out(crew, models.size(), [&](std::size_t k) {
    if (models[k].empty()) return;
    const Vector<Scalar> model =
        Eigen::Map<const Vector<Scalar>>(models[k].data(), static_cast<Index>(models[k].size()));
    if (when_read) when_read(models[k]);
    of_models[k] = problem.loss(model);
  });
  std::pair<double, double> losses{std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};
  for (const std::optional<double>& loss : of_models) {
    if (!loss) continue;
    if (std::isnan(*loss)) return {*loss, *loss};
    losses = {std::min(losses.first, *loss), std::max(losses.second, *loss)};
  }
  return losses;
}

template std::vector<LocalScore> scores_of<float>(const Problem<float>&, const Vector<float>&, Crew&);
template std::vector<LocalScore> scores_of<double>(const Problem<double>&, const Vector<double>&, Crew&);
template std::pair<double, double> losses_of<float>(const Problem<float>&,
                                                    std::span<const std::span<const float>>, Crew&,
                                                    const WhenRead<float>&);
template std::pair<double, double> losses_of<double>(const Problem<double>&,
                                                     std::span<const std::span<const double>>, Crew&,
                                                     const WhenRead<double>&);

}  // namespace hearsay

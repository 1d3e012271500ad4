#include "runtime/observer/distances.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "algorithms/arithmetic/reductions.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {
/// The sums of so many coordinates stay in the caches while all models are added.
constexpr Index longest_block = 4096;
}  // namespace

template <class Scalar>
Vector<Scalar> mean_of(const std::vector<Vector<Scalar>>& models, Crew& crew) {
  const auto some = std::ranges::find_if(models, [](const auto& model) { return model.size() != 0; });
  ensure(some != models.end(), "a mean is of one model at least");
  const auto count =
      static_cast<double>(std::ranges::count_if(models, [](const auto& model) { return model.size() != 0; }));
  const Index dimension = some->size();
  const Index each = (dimension + static_cast<Index>(crew.size()) - 1) / static_cast<Index>(crew.size());
  const Index block = std::clamp<Index>(each, 1, longest_block);
  Vector<Scalar> mean(dimension);
  share_out(crew, static_cast<std::size_t>((dimension + block - 1) / block), [&](std::size_t k) {
    const Index begin = static_cast<Index>(k) * block;
    const Index length = std::min(block, dimension - begin);
    Vector<double> sum = Vector<double>::Zero(length);
    for (const Vector<Scalar>& model : models)
      if (model.size() != 0) sum += model.segment(begin, length).template cast<double>();
    mean.segment(begin, length) = (sum / count).template cast<Scalar>();
  });
  return mean;
}

template <class Scalar>
SquaredDistances squared_distances(const std::vector<Vector<Scalar>>& models, const Vector<Scalar>& mean,
                                   Crew& crew) {
  SquaredDistances squares(models.size());
  share_out(crew, models.size(), [&](std::size_t peer) {
    if (models[peer].size() != 0) squares[peer] = squared_distance(view(models[peer]), view(mean));
  });
  return squares;
}

SquaredDistances squared_distances(const std::vector<std::optional<OwnEvaluation>>& own) {
  Sketch mean{};
  double count = 0.0;
  for (const auto& of_peer : own) {
    if (!of_peer) continue;
    std::ranges::transform(mean, of_peer->sketch, mean.begin(), std::plus<>());
    count += 1.0;
  }
  for (double& projection : mean) projection /= count;
  SquaredDistances squares(own.size());
  for (std::size_t peer = 0; peer < own.size(); ++peer)
    if (own[peer]) squares[peer] = squared_distance(own[peer]->sketch, mean);
  return squares;
}

double consensus_distance(const SquaredDistances& squares) {
  double sum = 0.0;
  double count = 0.0;
  for (const std::optional<double>& square : squares) {
    if (!square) continue;
    sum += *square;
    count += 1.0;
  }
  return std::sqrt(sum / count);
}

bool keeps_distances(std::size_t evaluation) {
  return evaluation % std::bit_floor(std::max<std::size_t>(1, evaluation / 512)) == 0;
}

PeerDistances peer_distances(const SquaredDistances& squares) {
  PeerDistances distances;
  for (const std::optional<double>& square : squares)
    distances.values.push_back(square ? std::sqrt(*square) : std::nan(""));
  if (distances.values.size() <= PeerDistances::most) return distances;

  distances.ranked = true;
  std::vector<double> sorted = std::move(distances.values);
  std::erase_if(sorted, [](double distance) { return std::isnan(distance); });
  std::ranges::sort(sorted);
  distances.values.clear();
  for (std::size_t rank = 0; rank < PeerDistances::most && !sorted.empty(); ++rank)
    distances.values.push_back(sorted[rank * (sorted.size() - 1) / (PeerDistances::most - 1)]);
  return distances;
}

template Vector<float> mean_of<float>(const std::vector<Vector<float>>&, Crew&);
template Vector<double> mean_of<double>(const std::vector<Vector<double>>&, Crew&);
template SquaredDistances squared_distances<float>(const std::vector<Vector<float>>&, const Vector<float>&,
                                                   Crew&);
template SquaredDistances squared_distances<double>(const std::vector<Vector<double>>&, const Vector<double>&,
                                                    Crew&);

}  // namespace hearsay

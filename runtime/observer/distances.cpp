#include "runtime/observer/distances.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "algorithms/arithmetic/reductions.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {
/// The sums of so many coordinates stay in the caches while all models are added.
constexpr std::size_t longest_block = 4096;
/// Blocks of a model that are told as read together.
constexpr std::size_t blocks_together = 64;
}  // namespace

template <class Scalar>
Vector<Scalar> mean_of(const ModelViews<Scalar>& models, Crew& crew, const WhenRead<Scalar>& when_read) {
  const auto some = std::ranges::find_if(models, [](const auto& model) { return !model.empty(); });
  ensure(some != models.end(), "a mean is of one model at least");
  const auto count =
      static_cast<double>(std::ranges::count_if(models, [](const auto& model) { return !model.empty(); }));
  const std::size_t dimension = some->size();
  const std::size_t each = (dimension + crew.size() - 1) / crew.size();
  const std::size_t block = std::clamp<std::size_t>(each, 1, longest_block);
  Vector<Scalar> mean(static_cast<Index>(dimension));
  const std::size_t blocks = (dimension + block - 1) / block;
  share_out(crew, blocks, [&](std::size_t place) {
    const std::size_t begin = place * block;
    const std::size_t length = std::min(block, dimension - begin);
    std::array<double, longest_block> sum{};
    for (const std::span<const Scalar> model : models) {
      if (model.empty()) continue;
      for (std::size_t k = 0; k < length; ++k) sum[k] += static_cast<double>(model[begin + k]);
    }
    for (std::size_t k = 0; k < length; ++k)
      mean[static_cast<Index>(begin + k)] = static_cast<Scalar>(sum[k] / count);
    if (!when_read || (place % blocks_together != blocks_together - 1 && place + 1 != blocks)) return;
    const std::size_t first = place / blocks_together * blocks_together * block;
    for (const std::span<const Scalar> model : models)
      if (!model.empty()) when_read(model.subspan(first, begin + length - first));
  });
  return mean;
}

template <class Scalar>
SquaredDistances squared_distances(const ModelViews<Scalar>& models, const Vector<Scalar>& mean, Crew& crew,
                                   const WhenRead<Scalar>& when_read) {
  SquaredDistances squares(models.size());
  share_out(crew, models.size(), [&](std::size_t peer) {
    if (models[peer].empty()) return;
    squares[peer] = squared_distance(models[peer], view(mean));
    if (when_read) when_read(models[peer]);
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

template Vector<float> mean_of<float>(const ModelViews<float>&, Crew&, const WhenRead<float>&);
template Vector<double> mean_of<double>(const ModelViews<double>&, Crew&, const WhenRead<double>&);
template SquaredDistances squared_distances<float>(const ModelViews<float>&, const Vector<float>&, Crew&,
                                                   const WhenRead<float>&);
template SquaredDistances squared_distances<double>(const ModelViews<double>&, const Vector<double>&, Crew&,
                                                    const WhenRead<double>&);

}  // namespace hearsay

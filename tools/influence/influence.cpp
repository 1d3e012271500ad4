#include "tools/influence/influence.hpp"

#include <algorithm>
#include <numeric>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr Index at_once = 1024;          // samples
constexpr std::size_t most_peers = 128;  // of whom each has an influence on each

template <class Scalar>
std::span<const Scalar> row_of(const DenseRows<Scalar>& matrix, Index row) {
  return {matrix.row(row).data(), static_cast<std::size_t>(matrix.cols())};
}

/// The products of the projected gradients. Their squares are those of the gradients themselves.
template <class Scalar>
void projected_products(const SampleObjective<Scalar>& objective, const Projection& projection,
                        const Vector<Scalar>& x, std::span<const Index> samples,
                        const DenseRows<Scalar>& directions, DenseRows<double>& products,
                        Vector<double>& squares) {
  products.resize(static_cast<Index>(samples.size()), directions.rows());
  squares.resize(static_cast<Index>(samples.size()));
  DenseRows<Scalar> gradient;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    objective.sample_gradients(x, samples.subspan(k, 1), gradient);
    const auto row = static_cast<Index>(k);
    squares[row] = gradient.template cast<double>().squaredNorm();
    products.row(row) = directions.template cast<double>() * projection.of(row_of(gradient, 0));
  }
}

}  // namespace

std::vector<double> kept_model_weights(std::span<const std::uint64_t> iterations, const StepSize& step_size,
                                       double gradients, std::uint64_t samples) {
  std::vector<double> weights(iterations.size(), 0.0);
  for (std::size_t k = 0; k + 1 < iterations.size(); ++k) {
    ensure(iterations[k] < iterations[k + 1], "kept iterations ascend");
    double steps = 0.0;
    for (std::uint64_t t = iterations[k] + 1; t <= iterations[k + 1]; ++t) steps += step_size.at(t);
    for (const std::size_t end : {k, k + 1})
      weights[end] += 0.5 * gradients * steps / static_cast<double>(samples);
  }
  return weights;
}

template <class Scalar>
double mean_sample_loss(const SampleObjective<Scalar>& objective, const Vector<Scalar>& x) {
  const std::vector<double> losses = objective.sample_losses(x, all_samples_of(objective));
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

template <class Scalar>
InfluenceSum<Scalar>::InfluenceSum(const Shards<Scalar>& shards, const SampleObjective<Scalar>& judge,
                                   const std::vector<Index>& rows, const Projection* projection)
    : shards_(&shards), judge_(&judge), rows_(&rows), projection_(projection) {
  for (std::size_t peer = 0; peer < shards.size(); ++peer) {
    if (shards[peer] == nullptr) continue;
    const Shard<Scalar>& shard = shards[peer]->shard();
    for (const Index row : shard.rows)
      samples_.push_back({static_cast<PeerId>(peer), row,
                          static_cast<double>(shard.samples->targets[static_cast<std::size_t>(row)])});
  }
  const auto count = static_cast<Index>(samples_.size());
  on_tests_ = DenseRows<double>::Zero(count, 1 + static_cast<Index>(rows.size()));
  on_itself_ = Vector<double>::Zero(count);
  const auto peers = static_cast<Index>(shards.size() <= most_peers ? shards.size() : 0);
  between_peers_ = DenseRows<double>::Zero(peers, peers);
}

/// Returns the mean gradient of all test samples, and the gradient of each row, as rows.
template <class Scalar>
DenseRows<Scalar> InfluenceSum<Scalar>::directions(const Vector<Scalar>& model) const {
  DenseRows<Scalar> wanted(on_tests_.cols(), judge_->dimension());
  DenseRows<Scalar> gradients;
  judge_->sample_gradients(model, *rows_, gradients);
  wanted.bottomRows(gradients.rows()) = gradients;
  wanted.row(0) = (judge_->summed_gradient(model) / static_cast<Scalar>(judge_->sample_count())).transpose();
  if (projection_ == nullptr) return wanted;
  DenseRows<Scalar> projected(wanted.rows(), projection_->size());
  for (Index r = 0; r < wanted.rows(); ++r)
    projected.row(r) = projection_->of(row_of(wanted, r)).template cast<Scalar>();
  return projected;
}

template <class Scalar>
void InfluenceSum<Scalar>::add(const KeptPoint<Scalar>& point, double weight,
                               const std::function<void(double)>& tell) {
  const DenseRows<Scalar> wanted = directions(point.judged);
  DenseRows<double> products;
  Vector<double> squares;
  Index first = 0;
  for (std::size_t peer = 0; peer < shards_->size(); ++peer) {
    const SampleObjective<Scalar>* objective = (*shards_)[peer];
    if (objective == nullptr) continue;
    const Vector<Scalar>& model = point.of(static_cast<PeerId>(peer));
    const std::vector<Index> all = all_samples_of(*objective);
    if (model.size() == 0) {
      first += objective->sample_count();
      continue;
    }
    for (Index begin = 0; begin < objective->sample_count(); begin += at_once) {
      const Index size = std::min(at_once, objective->sample_count() - begin);
      const std::span<const Index> part =
          std::span(all).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
      if (projection_)
        projected_products(*objective, *projection_, model, part, wanted, products, squares);
      else
        objective->gradient_products(model, part, wanted, products, squares);
      on_tests_.middleRows(first, size) += weight * products;
      on_itself_.segment(first, size) += weight * squares;
      first += size;
      tell(static_cast<double>(first) / static_cast<double>(samples_.size()));
    }
  }
  if (between_peers_.rows() > 0) add_between_peers(point, weight);
}

template <class Scalar>
void InfluenceSum<Scalar>::add_between_peers(const KeptPoint<Scalar>& point, double weight) {
  const auto peers = static_cast<std::size_t>(between_peers_.rows());
  std::vector<Vector<Scalar>> judged(peers);
  for (std::size_t peer = 0; peer < peers; ++peer)
    if ((*shards_)[peer]) judged[peer] = (*shards_)[peer]->summed_gradient(point.judged);
  for (std::size_t of = 0; of < peers; ++of) {
    const SampleObjective<Scalar>* objective = (*shards_)[of];
    const Vector<Scalar>& model = point.of(static_cast<PeerId>(of));
    if (objective == nullptr || model.size() == 0) continue;
    const Vector<Scalar> trained = point.is_of_peers() ? objective->summed_gradient(model) : judged[of];
    for (std::size_t on = 0; on < peers; ++on)
      if (judged[on].size() != 0 && (*shards_)[on]->sample_count() > 0)
        between_peers_(static_cast<Index>(of), static_cast<Index>(on)) +=
            weight * trained.template cast<double>().dot(judged[on].template cast<double>()) /
            static_cast<double>((*shards_)[on]->sample_count());
  }
}

template <class Scalar>
DenseRows<double> InfluenceSum<Scalar>::of_peers() const {
  DenseRows<double> sums = DenseRows<double>::Zero(static_cast<Index>(shards_->size()), on_tests_.cols());
  for (std::size_t s = 0; s < samples_.size(); ++s)
    sums.row(static_cast<Index>(samples_[s].peer)) += on_tests_.row(static_cast<Index>(s));
  return sums;
}

#define HEARSAY_INFLUENCE(Scalar)      \
  template class InfluenceSum<Scalar>; \
  template double mean_sample_loss<Scalar>(const SampleObjective<Scalar>&, const Vector<Scalar>&);
HEARSAY_INFLUENCE(float)
HEARSAY_INFLUENCE(double)
#undef HEARSAY_INFLUENCE

}  // namespace hearsay

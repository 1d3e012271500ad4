#include "runtime/peer/local_gradients.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// A minibatch of a peer with one sample: zeros. Those of usual sizes are the same memory for all peers, of
/// which there may be a million; `own` is the peer's for others.
std::span<const Index> draws_of_one(std::uint64_t size, std::vector<Index>& own) {
  static const std::vector<Index> shared(1024, Index{0});
  if (size <= shared.size()) return std::span(shared).first(size);
  own.assign(size, Index{0});
  return own;
}

}  // namespace

template <class Scalar>
void LocalGradients<Scalar>::turn_to(std::uint64_t number, const Iteration<Scalar>& iteration) {
  ahead_at_ = nullptr;
  drawn_ = 0;
  seeds_.emplace(iteration.seed(), iteration.draws_as(), number, Purpose::objective);
  seed_.reset();
  iteration_ = number;
  step_size_ = static_cast<double>(iteration.step_size_of(number));
}

template <class Scalar>
std::span<const Index> LocalGradients<Scalar>::all_samples() {
  if (all_samples_.empty()) {
    all_samples_.resize(static_cast<std::size_t>(objective_.sample_count()));
    std::iota(all_samples_.begin(), all_samples_.end(), Index{0});
  }
  return all_samples_;
}

template <class Scalar>
std::span<const Index> LocalGradients<Scalar>::minibatch(const Iteration<Scalar>& iteration) {
  if (!minibatches_.size) return all_samples();
  if (drawn_ == 0) next_minibatch(iteration);
  if (objective_.sample_count() == 1) return draws_of_one(*minibatches_.size, minibatch_);
  return minibatch_;
}

template <class Scalar>
void LocalGradients<Scalar>::next_minibatch(const Iteration<Scalar>& iteration) {
  seed_.reset();
  if (!minibatches_.size) return;
  const std::uint64_t size = *minibatches_.size;
  const std::uint64_t number = drawn_++;
  minibatch_.clear();
  const auto count = static_cast<std::uint64_t>(objective_.sample_count());
  if (count == 0) return;
  if (count == 1) return;  // all draws are known: draws_of_one
  if (minibatches_.shuffled) {
    if (!passes_) passes_ = std::make_unique<SamplePasses>(iteration.seed(), iteration.draws_as(), count);
    ensure(number < minibatches_.per_iteration, "an iteration draws as many minibatches as it has steps");
    const std::uint64_t earlier = (iteration_ - 1) * minibatches_.per_iteration + number;
    passes_->take(earlier * size, size, minibatch_);
    return;
  }
  const auto begun = [&] {
    return RandomStream(iteration.seed(), iteration.draws_as(), iteration_, Purpose::minibatch);
  };
  if (!draws_) draws_ = std::make_unique<RandomStream>(begun());
  if (number == 0) *draws_ = begun();
  for (std::uint64_t k = 0; k < size; ++k) minibatch_.push_back(static_cast<Index>(draws_->below(count)));
}

template <class Scalar>
void LocalGradients<Scalar>::request(const Vector<Scalar>& point, std::span<const Index> samples) {
  ahead_at_ = nullptr;
  point_ = &point;
  samples_ = samples;
}

template <class Scalar>
void LocalGradients<Scalar>::request_ahead(const Iteration<Scalar>& iteration, const Vector<Scalar>& point) {
  turn_to(iteration.number() + 1, iteration);
  request(point, minibatch(iteration));
  ahead_at_ = point.data();
}

template <class Scalar>
bool LocalGradients<Scalar>::take_ahead(const Vector<Scalar>& point, std::span<const Index> samples) {
  const bool is_it = is_ahead() && point.data() == ahead_at_ && samples.data() == samples_.data() &&
                     samples.size() == samples_.size();
  ahead_at_ = nullptr;
  return is_it;
}

template <class Scalar>
double LocalGradients<Scalar>::work() const {
  const std::size_t usual = minibatches_.size ? *minibatches_.size : all_samples_.size();
  return samples_.empty() ? 1.0 : static_cast<double>(samples_.size()) / static_cast<double>(usual);
}

template <class Scalar>
void LocalGradients<Scalar>::compute() {
  if (!seed_) seed_ = seeds_ ? seeds_->bits64() >> 1 : 0;
  objective_.minibatch_gradient(
      *point_, {.samples = samples_, .seed = *seed_, .iteration = iteration_, .step_size = step_size_},
      gradient_);
  if (!clip_) return;
  const double norm = std::sqrt(squared_norm<Scalar>(view(gradient_)));
  if (norm > *clip_ && std::isfinite(norm)) gradient_ *= static_cast<Scalar>(*clip_ / norm);
}

template <class Scalar>
void LocalGradients<Scalar>::swap_gradient(Vector<Scalar>& other) {
  ensure(other.size() == gradient_.size(), "the storage of a gradient is as long as the model");
  gradient_.swap(other);
}

template <class Scalar>
std::optional<std::string> LocalGradients<Scalar>::defect() const {
  if (all_finite(view(gradient_)) || !all_finite(view(*point_))) return std::nullopt;
  Index k = 0;
  while (std::isfinite(gradient_[k])) ++k;
  std::string text = "the gradient left the finite range: it is " +
                     std::string(std::isnan(gradient_[k]) ? "no number" : "infinite") + " in coordinate " +
                     std::to_string(k);
  for (const Segment& layer : objective_.segments())
    if (k >= layer.begin && k < layer.end()) text += ", of layer " + layer.name;
  return text;
}

template class LocalGradients<float>;
template class LocalGradients<double>;

}  // namespace hearsay

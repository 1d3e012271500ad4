#include "algorithms/methods/powersgd.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "algorithms/methods/parts/low_rank.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

LowRankLayers::LowRankLayers(const SegmentTable& segments, std::uint64_t rank) {
  for (const Segment& segment : segments) {
    Layer layer{.begin = static_cast<std::size_t>(segment.begin),
                .size = static_cast<std::size_t>(segment.size()),
                .rows = static_cast<std::size_t>(segment.rows),
                .columns = static_cast<std::size_t>(segment.columns),
                .rank = 0,
                .left = left_size,
                .left_size = static_cast<std::size_t>(segment.size()),
                .right = right_size,
                .right_size = 0};
    if (layer.rows > 1 && layer.columns > 1) {
      layer.rank =
          static_cast<std::size_t>(std::min({rank, std::uint64_t{layer.rows}, std::uint64_t{layer.columns}}));
      layer.left_size = layer.rank * layer.rows;
      layer.right_size = layer.rank * layer.columns;
    }
    left_size += layer.left_size;
    right_size += layer.right_size;
    layers.push_back(layer);
  }
}

template <class Scalar>
PowerSgd<Scalar>::PowerSgd(const MethodInput<Scalar>& input)
    : peer_count_(input.peer_count),
      all_reduce_(input.options[option::reduce], input.self, input.peer_count),
      layers_(input.segments, input.options[option::rank]),
      x_(input.initial),
      error_(Vector<Scalar>::Zero(input.initial.size())),
      left_(static_cast<Index>(layers_.left_size)),
      right_(static_cast<Index>(layers_.right_size)) {
  // The first Q is the same at all peers.
  RandomStream random(input.seed, std::numeric_limits<PeerId>::max(), 0, Purpose::decision);
  for (Scalar& entry : right_) entry = static_cast<Scalar>(random.normal());
}

template <class Scalar>
Task PowerSgd<Scalar>::iterate(Iteration<Scalar>& it) {
  const Scalar share = Scalar(1) / static_cast<Scalar>(peer_count_);

  // gradient: M_i = G_i + E_i, E_i as a part of a step of the present size
  if (it.previous_step_size() != it.step_size()) error_ *= it.previous_step_size() / it.step_size();
  const Vector<Scalar>& gradient = co_await it.gradient(x_);
  error_ += gradient;

  // left: P = (1/n) sum_j M_j Q
  compute_left();
  co_await all_reduce_.sum(it, view(left_));
  left_ *= share;

  // directions: P <- its columns made orthonormal
  for (const Layer& layer : layers_.layers)
    if (layer.rank > 0)
      orthonormalise<Scalar>(view(left_).subspan(layer.left, layer.left_size), {}, layer.rank);

  // right: Q = (1/n) sum_j M_j' P
  compute_right();
  if (right_.size() > 0) co_await all_reduce_.sum(it, view(right_), all_reduce_.steps());
  right_ *= share;

  remember_and_step(it.step_size());
}

/// left: M_i Q, and the layers that are no matrices as they are
template <class Scalar>
void PowerSgd<Scalar>::compute_left() {
  for (const Layer& layer : layers_.layers) {
    const std::span<const Scalar> matrix = of_layer(error_, layer);
    if (layer.rank == 0) std::ranges::copy(matrix, view(left_).subspan(layer.left).begin());
    for (std::size_t k = 0; k < layer.rank; ++k)
      times<Scalar>(matrix, right_column(layer, k), left_column(layer, k));
  }
}

/// right: M_i' P
template <class Scalar>
void PowerSgd<Scalar>::compute_right() {
  for (const Layer& layer : layers_.layers)
    for (std::size_t k = 0; k < layer.rank; ++k)
      transposed_times<Scalar>(of_layer(error_, layer), left_column(layer, k), right_column(layer, k));
}

template <class Scalar>
void PowerSgd<Scalar>::remember_and_step(Scalar step_size) {
  for (const Layer& layer : layers_.layers) {
    const std::span<Scalar> model = of_layer(x_, layer);
    const std::span<Scalar> error = of_layer(error_, layer);
    if (layer.rank == 0) {
      const std::span<const Scalar> mean = view(left_).subspan(layer.left, layer.size);
      for (std::size_t i = 0; i < layer.size; ++i) model[i] -= step_size * mean[i];
      std::ranges::fill(error, Scalar(0));
    }
    for (std::size_t k = 0; k < layer.rank; ++k) {
      // remember: E_i = M_i - P Q'
      add_product<Scalar>(-1, left_column(layer, k), right_column(layer, k), error);
      // step: x <- x - eta P Q'
      add_product<Scalar>(-step_size, left_column(layer, k), right_column(layer, k), model);
    }
  }
}

template <class Scalar>
void PowerSgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("error", error_);
  if (right_.size() > 0) visitor.state("right", right_);
  visitor.scratch("left", left_);
}

template <class Scalar>
Traffic PowerSgd<Scalar>::traffic(std::uint64_t, const PeerRows&) const {
  Traffic traffic = all_reduce_.traffic(static_cast<std::uint64_t>(left_.size()), sizeof(Scalar));
  if (right_.size() > 0) {
    const Traffic right = all_reduce_.traffic(static_cast<std::uint64_t>(right_.size()), sizeof(Scalar));
    traffic.messages += right.messages;
    traffic.payload_bytes += right.payload_bytes;
  }
  return traffic;
}

MethodInfo powersgd_info() {
  return {
      .name = "powersgd",
      .aliases = {"power-sgd"},
      .summary = "centralized SGD on gradients of low rank, by all-reduce, with error feedback",
      .equation = "M_i = G_i + E_i; P = orth(mean M_j Q); Q = mean M_j' P; x <- x - eta P Q'",
      .bytes =
          "4(n-1) (4 rank (rows or columns) / n + 64) round the ring, "
          "2 log2 n (4 rank (rows or columns) + 64) by doubling",
      .source = "Vogels et al. 2019, arXiv:1905.13727, Algorithms 1 and 2",
      .compressor = CompressorNeed::none,
      .membership = Membership::by_agreement,
      .pattern = Pattern::ring,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::rank, 2}, {option::reduce, "auto"}},
      .divides_by_step = [](const MethodOptions&) { return std::string("powersgd"); },
      .unknown_sizes = [](const MethodOptions&) { return UnknownSizes{"the matrices of the layers"}; },
      .pattern_with = reduce_pattern,
      .summed =
          [](const MethodOptions& options, std::uint64_t, const SegmentTable& segments) {
            const LowRankLayers layers(segments, options[option::rank]);
            std::vector<std::uint64_t> lengths = {layers.left_size};
            if (layers.right_size > 0) lengths.push_back(layers.right_size);
            return lengths;
          },
      .trials = {.with = {{.because = "gradients of rank 2: for large matrices", .iterations = 1.5}}},
      .manual = {.iteration = "M_i = G_i + E_i for every layer's matrix; P = orthonormal columns of (1/n) "
                              "sum_j M_j Q; Q = (1/n) sum_j M_j' P; E_i = M_i - P Q'; x <- x - eta P Q'",
                 .memory = "4",
                 .needs = "nothing of W; a model with matrices"},
      .make = factory<PowerSgd>()};
}

}  // namespace hearsay

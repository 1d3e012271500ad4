#include "algorithms/methods/power_gossip.hpp"

#include <algorithm>
#include <string>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/methods/parts/low_rank.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
PowerGossip<Scalar>::PowerGossip(const MethodInput<Scalar>& input)
    : layers_(input.segments),
      rank_(static_cast<Index>(
          std::min(input.options[option::rank], static_cast<std::uint64_t>(input.initial.size())))),
      consensus_step_(input.options[option::consensus_step]),
      x_(input.initial),
      neighbors_(input.neighbors),
      directions_(input.neighbors.size()),
      said_(input.neighbors.size()),
      local_(input) {
  Index rows = 0;
  Index columns = 0;
  for (const Segment& layer : layers_) {
    if (!is_matrix(layer)) continue;
    rows += rank_of(layer) * layer.rows;
    columns += rank_of(layer) * layer.columns;
  }
  for (std::size_t k = 0; k < neighbors_.size(); ++k) {
    // The directions are the same at both ends: they come from a stream of the edge.
    const auto [low, high] = std::minmax(input.self, neighbors_[k]);
    RandomStream random(input.seed, low, high, Purpose::decision);
    Directions& directions = directions_[k];
    directions.right.resize(columns);
    for (Scalar& entry : directions.right) entry = static_cast<Scalar>(random.normal());
    directions.left = Vector<Scalar>::Zero(rows);
    std::size_t done = 0;
    for (const Segment& layer : layers_) {
      if (!is_matrix(layer)) continue;
      const auto size = static_cast<std::size_t>(rank_of(layer) * layer.columns);
      const auto part = view(directions.right).subspan(done, size);
      orthonormalise<Scalar>(part, {}, static_cast<std::size_t>(rank_of(layer)));
      done += size;
    }
  }
  difference_.resize(static_cast<Index>(std::max(scalars(true), scalars(false))));
}

template <class Scalar>
Index PowerGossip<Scalar>::rank_of(const Segment& layer) const {
  return std::min({rank_, layer.rows, layer.columns});
}

template <class Scalar>
Task PowerGossip<Scalar>::iterate(Iteration<Scalar>& it) {
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  const bool from_the_right = it.number() % 2 == 1;

  // gradient: g_i = grad F_i(x_i; xi_i);  x_i <- x_i - eta g_i, or H local steps
  co_await local_.steps(it, x_);
  local_.add_to(x_);

  // exchange: send M_i P of the edge, or M_i' P; every neighbor gets another packet, so the slot is its id
  const std::size_t size = scalars(from_the_right);
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    project(directions_[k], from_the_right, view(difference_).first(size));
    PacketBuffer buffer = it.new_packet();
    write_full<Scalar>(view(std::as_const(difference_)).first(size), buffer);
    said_[k] = std::move(buffer).seal();
    it.send(neighbors[k].id, neighbors[k].id, said_[k]);
  }

  // consensus: D = M_hi P - M_lo P;  M_lo <- M_lo + gamma w D P', M_hi <- M_hi - gamma w D P'
  const std::span<const PacketRef> packets = co_await it.collect(it.self());
  for (std::size_t k = 0; k < neighbors.size(); ++k) {
    if (!packets[k]) continue;
    const bool is_low = it.self() < neighbors[k].id;
    const PacketRef& low = is_low ? said_[k] : packets[k];
    const PacketRef& high = is_low ? packets[k] : said_[k];
    const auto difference = view(difference_).first(size);
    if (!read_full<Scalar>(high->bytes(), difference) || !add_full<Scalar>(low->bytes(), -1, difference)) {
      it.report(CodecStatus::malformed);
      continue;
    }
    const auto step = static_cast<Scalar>(consensus_step_) * static_cast<Scalar>(neighbors[k].weight);
    approach(directions_[k], from_the_right, difference, is_low ? step : -step);
  }
  for (PacketRef& packet : said_) packet = {};
}

/// Returns the number of scalars in a message.
template <class Scalar>
std::size_t PowerGossip<Scalar>::scalars(bool from_the_right) const {
  Index sum = 0;
  for (const Segment& layer : layers_)
    sum += !is_matrix(layer) ? layer.size() : rank_of(layer) * (from_the_right ? layer.rows : layer.columns);
  return static_cast<std::size_t>(sum);
}

/// into = M P (or M' P) of every layer, column after column; a layer that is no matrix is copied.
template <class Scalar>
void PowerGossip<Scalar>::project(const Directions& directions, bool from_the_right,
                                  std::span<Scalar> into) const {
  std::size_t used = 0;
  for (const Segment& layer : layers_) {
    const auto rows = static_cast<std::size_t>(layer.rows);
    const auto columns = static_cast<std::size_t>(layer.columns);
    const auto matrix = view(x_).subspan(static_cast<std::size_t>(layer.begin), rows * columns);
    if (!is_matrix(layer)) {
      std::ranges::copy(matrix, into.begin());
      into = into.subspan(matrix.size());
      continue;
    }
    const std::size_t length = from_the_right ? columns : rows;
    const Vector<Scalar>& all = from_the_right ? directions.right : directions.left;
    for (Index k = 0; k < rank_of(layer); ++k, used += length) {
      const auto direction = view(all).subspan(used, length);
      const auto result = into.first(from_the_right ? rows : columns);
      into = into.subspan(result.size());
      if (from_the_right)
        times<Scalar>(matrix, direction, result);
      else
        transposed_times<Scalar>(matrix, direction, result);
    }
  }
}

/// M <- M + factor D P' (or P D'), and the next directions from D.
template <class Scalar>
void PowerGossip<Scalar>::approach(Directions& directions, bool from_the_right,
                                   std::span<const Scalar> difference, Scalar factor) {
  std::size_t used = 0;
  std::size_t next_used = 0;
  for (const Segment& layer : layers_) {
    const auto rows = static_cast<std::size_t>(layer.rows);
    const auto columns = static_cast<std::size_t>(layer.columns);
    const auto matrix = view(x_).subspan(static_cast<std::size_t>(layer.begin), rows * columns);
    if (!is_matrix(layer)) {
      for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] += factor * difference[i];
      difference = difference.subspan(matrix.size());
      continue;
    }
    const std::size_t length = from_the_right ? columns : rows;
    const std::size_t other = from_the_right ? rows : columns;
    const auto rank = static_cast<std::size_t>(rank_of(layer));
    Vector<Scalar>& all = from_the_right ? directions.right : directions.left;
    Vector<Scalar>& next = from_the_right ? directions.left : directions.right;
    for (std::size_t k = 0; k < rank; ++k) {
      const auto direction = view(std::as_const(all)).subspan(used + k * length, length);
      const auto change = difference.subspan(k * other, other);
      const auto of_row = from_the_right ? change : direction;
      const auto of_column = from_the_right ? direction : change;
      add_product<Scalar>(factor, of_row, of_column, matrix);
    }
    used += rank * length;

    // warm start: the directions of the next iteration are D, made orthonormal
    const auto kept = view(next).subspan(next_used, rank * other);
    before_.assign(kept.begin(), kept.end());
    std::ranges::copy(difference.first(rank * other), kept.begin());
    orthonormalise<Scalar>(kept, before_, rank);
    next_used += rank * other;
    difference = difference.subspan(rank * other);
  }
}

template <class Scalar>
void PowerGossip<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  for (std::size_t k = 0; k < neighbors_.size(); ++k) {
    Directions& directions = directions_[k];
    if (directions.right.size() == 0) continue;
    const std::string whose = " directions with " + std::to_string(neighbors_[k]);
    visitor.state("right" + whose, directions.right);
    visitor.state("left" + whose, directions.left);
  }
  visitor.scratch("difference", difference_);
  local_.visit(visitor);
}

template <class Scalar>
Traffic PowerGossip<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), scalars(number % 2 == 1) * sizeof(Scalar));
}

MethodInfo power_gossip_info() {
  return {.name = "power-gossip",
          .aliases = {"powergossip"},
          .summary = "low-rank differences of layers by power iteration along every edge",
          .equation = "M_i <- M_i - eta G_i + gamma w_ij (M_j - M_i) P P', P from the last exchange",
          .bytes = "deg (4 rank (rows or columns) + 64)",
          .source = "Vogels et al. 2020, arXiv:2008.01425, Algorithm 1",
          .compressor = CompressorNeed::none,
          .needs_symmetric_mixing = true,
          .options = {{option::consensus_step, 1.0},
                      {option::optimizer, "sgd"},
                      {option::local_steps, 1},
                      {option::rank, 1}},
          .unknown_sizes = [](const MethodOptions&) { return UnknownSizes{"the matrices of the layers"}; },
          .trials = {.with = {{.because = "low-rank differences: for large matrices", .iterations = 4.0}}},
          .manual = {.iteration = "M_i <- M_i - eta G_i + gamma w_ij (M_j - M_i) P P' for every layer's "
                                  "matrix M and edge, P from the last exchange",
                     .memory = "3, and rank (rows + columns) a neighbor",
                     .needs = "W symmetric; a model with matrices"},
          .make = factory<PowerGossip>()};
}

}  // namespace hearsay

#include <doctest/doctest.h>

#include "algorithms/methods/parts/ring_sum.hpp"
#include "runtime/foundation/digest.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::allreduce_sgd_test {

namespace {

/// Returns coordinate k of the sum of the gradients in the order of the ring: chunk c begins with peer c.
template <class Scalar>
Scalar sum_round_the_ring(const std::vector<Vector<Scalar>>& gradients, Index k) {
  const Index n = static_cast<Index>(gradients.size());
  const Index d = gradients.front().size();
  Index c = 0;
  while ((c + 1) * d / n <= k) ++c;
  Scalar sum = gradients[static_cast<std::size_t>(c)][k];
  for (Index step = 1; step < n; ++step) sum += gradients[static_cast<std::size_t>((c + step) % n)][k];
  return sum;
}

/// The same in the order of recursive doubling: peers beyond the largest power of two are added first, then
/// halves of the peers, as the leaves of a tree.
template <class Scalar>
Scalar sum_by_doubling(const std::vector<Vector<Scalar>>& gradients, Index k) {
  std::size_t power = 1;
  while (2 * power <= gradients.size()) power *= 2;
  std::vector<Scalar> sums;
  for (std::size_t i = 0; i < power; ++i) {
    sums.push_back(gradients[i][k]);
    if (power + i < gradients.size()) sums.back() += gradients[power + i][k];
  }
  while (sums.size() > 1) {
    std::vector<Scalar> of_pairs;
    for (std::size_t i = 0; i < sums.size(); i += 2) of_pairs.push_back(sums[i] + sums[i + 1]);
    sums = of_pairs;
  }
  return sums.front();
}

/// All-reduce SGD in one loop, adding up in the order of the way.
template <class Scalar>
Vector<Scalar> serial_reference(const Problem<Scalar>& problem, const std::string& reduce,
                                std::uint64_t iterations, double step_size) {
  const Index d = problem.dimension();
  Vector<Scalar> x = problem.initial;
  std::vector<Vector<Scalar>> gradients(problem.peer_count(), Vector<Scalar>(d));
  const Index sample = 0;
  for (std::uint64_t t = 1; t <= iterations; ++t) {
    for (std::size_t i = 0; i < gradients.size(); ++i)
      problem.objectives[i]->gradient(x, {&sample, 1}, gradients[i]);
    for (Index k = 0; k < d; ++k) {
      const Scalar sum = reduce == "ring" ? sum_round_the_ring(gradients, k) : sum_by_doubling(gradients, k);
      x[k] -= static_cast<Scalar>(step_size) / static_cast<Scalar>(gradients.size()) * sum;
    }
  }
  return x;
}

template <class Scalar>
void check_against_serial(const std::string& reduce, PeerId peers, Index dimension) {
  CAPTURE(reduce);
  CAPTURE(peers);
  CAPTURE(dimension);
  const auto experiment = quadratics_in<Scalar>(
      {"ring", peers}, "allreduce-sgd", {.options = {{option::reduce, reduce}}}, Shared::nothing, dimension);
  const Vector<Scalar> expected = serial_reference(experiment.problem, reduce, 12, 0.1);
  const auto recording = record_run(experiment);
  for (const auto& peer : recording.back()) CHECK(digest(peer.model) == digest(expected));
}

/// A slope of its own for every peer, the same everywhere.
template <class Scalar>
class Slope final : public Objective<Scalar> {
 public:
  explicit Slope(Vector<Scalar> slope) : slope_(std::move(slope)) {}
  Index dimension() const override { return slope_.size(); }
  Index sample_count() const override { return 1; }
  double loss(const Vector<Scalar>&) const override { return 0.0; }
  void gradient(const Vector<Scalar>&, std::span<const Index>, Vector<Scalar>& gradient) const override {
    gradient = slope_;
  }

 private:
  Vector<Scalar> slope_;
};

template <class Scalar>
void check_dyadic(PeerId peers) {
  Problem<Scalar> problem;
  Vector<Scalar> sum = Vector<Scalar>::Zero(7);
  RandomStream random(4, 0, 0, Purpose::data);
  for (PeerId id = 0; id < peers; ++id) {
    Vector<Scalar> slope(7);
    for (Scalar& entry : slope) entry = static_cast<Scalar>(random.below(2048)) - 1024;
    sum += slope;
    problem.objectives.push_back(std::make_unique<Slope<Scalar>>(slope));
  }
  problem.initial = Vector<Scalar>::Zero(7);
  const auto experiment =
      prepare<Scalar>(settings_of("allreduce-sgd", {"ring", peers}, {.iterations = 4, .step_size = 0.25}),
                      std::move(problem));
  // Whole numbers times powers of two: nothing is ever rounded, so 4 steps of 1/4 go to minus the mean.
  const auto recording = record_run(experiment);
  for (const auto& peer : recording.back())
    for (Index k = 0; k < 7; ++k) CHECK(peer.model[k] == -sum[k] / static_cast<Scalar>(peers));
}

}  // namespace

TEST_CASE("allreduce: the models are those of a serial sum in the order of the way, bit for bit") {
  for (const char* reduce : {"ring", "doubling"})
    for (const PeerId peers : {1, 2, 3, 4, 5, 6, 7, 8, 13})
      for (const Index dimension : {1, 2, 3, 7, 8, 19, 64}) {  // less than, not divisible by, a multiple of n
        check_against_serial<float>(reduce, peers, dimension);
        check_against_serial<double>(reduce, peers, dimension);
      }
}

TEST_CASE("allreduce: with dyadic gradients the step is the exact mean, on a power of two of peers") {
  for (const PeerId peers : {1, 2, 4, 8}) {
    check_dyadic<float>(peers);
    check_dyadic<double>(peers);
  }
}

TEST_CASE("allreduce: a peer sends 2(n-1) messages, and all but two chunks of the model twice") {
  for (const PeerId n : {2, 3, 8})
    for (const Index d : {3, 19, 64}) {
      const auto experiment =
          quadratics_in<float>({"ring", n}, "allreduce-sgd", {.iterations = 1}, Shared::nothing, d);
      std::size_t bytes = 0;
      const auto recording = record_run(experiment);
      for (PeerId id = 0; id < n; ++id) {
        const auto& sent_by_peer = recording.back()[id].sent;
        CHECK(sent_by_peer.size() == 2 * (n - 1));
        std::size_t of_peer = 0;
        for (const Outgoing& sent : sent_by_peer) {
          CHECK(sent.to == (id + 1) % n);
          of_peer += sent.packet->size();
        }
        CHECK(RingSum(id, n).traffic(static_cast<std::uint64_t>(d), sizeof(float)).payload_bytes == of_peer);
        bytes += of_peer;
      }
      CHECK(bytes == 2 * (n - 1) * static_cast<std::size_t>(d) * sizeof(float));
    }
}

TEST_CASE("allreduce: what a peer sends is known at once, of a hundred thousand peers, too") {
  constexpr PeerId peers = 100'000;
  std::uint64_t bytes = 0;
  for (PeerId id = 0; id < peers; ++id) bytes += RingSum(id, peers).traffic(1'234'567, 4).payload_bytes;
  CHECK(bytes == 2 * (peers - 1) * std::uint64_t{1'234'567} * 4);
}

TEST_CASE("allreduce: by doubling a peer sends the model log2 n times, and once in a fold or for one") {
  const auto partners = [](PeerId n, PeerId id) -> std::vector<PeerId> {
    if (n == 8) return {id ^ 1u, id ^ 2u, id ^ 4u};
    // Six peers: four swap in two rounds; 4 and 5 hand theirs to 0 and 1, and get the sum from them.
    if (id >= 4) return {id - 4};
    return id < 2 ? std::vector<PeerId>{id ^ 1u, id ^ 2u, id + 4} : std::vector<PeerId>{id ^ 1u, id ^ 2u};
  };
  for (const PeerId n : {6, 8}) {
    const auto experiment = quadratics_in<float>({"ring", n}, "allreduce-sgd",
                                                 {.iterations = 1, .options = {{option::reduce, "doubling"}}},
                                                 Shared::nothing, 19);
    const auto recording = record_run(experiment);
    for (PeerId id = 0; id < n; ++id) {
      std::vector<PeerId> to;
      for (const Outgoing& sent : recording.back()[id].sent) {
        to.push_back(sent.to);
        CHECK(sent.packet->size() == 19 * sizeof(float));
      }
      CHECK(to == partners(n, id));
    }
  }
}

}  // namespace hearsay::test::allreduce_sgd_test

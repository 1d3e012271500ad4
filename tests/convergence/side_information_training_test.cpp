// Side information on a9a: how many bits a coordinate takes, as a run goes on.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/foundation/digest.hpp"
#include "tests/convergence/a9a.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test::side_information_training_test {

namespace {

/// Bits of payload a coordinate, and where the run ended.
struct Bits {
  double in_first_20 = 0.0;
  double in_last_20 = 0.0;
  double in_all = 0.0;
  std::vector<std::uint64_t> models;
};

/// 200 iterations on a ring of 8, step 0.3.
Bits bits_of(const A9a& data, const std::string& method, const std::string& batch,
             const std::string& compressor, const std::string& side_information) {
  const auto experiment = experiment_from<float>(
      "run = { iterations = 200, evaluate_every = 1 }\n"
      "data = { source = \"" +
      data.source +
      "\" }\n"
      "model = { kind = \"logistic\", l2 = 1e-3 }\n"
      "topology = { kind = \"ring\", peers = 8 }\n"
      "algorithm = { kind = \"" +
      method + "\", step_size = 0.3, batch = " + batch + ", compressor = \"" + compressor +
      "\", side_information = \"" + side_information + "\", allow_unsound = true }\n");
  const auto recording = record_run(experiment);
  Bits bits;
  for (std::size_t t = 1; t <= 200; ++t) {
    double sum = 0.0;
    for (const auto& peer : recording[t])
      sum += 8.0 * static_cast<double>(peer.sent.front().packet->size()) /
             static_cast<double>(peer.model.size()) / 8;
    bits.in_all += sum / 200;
    if (t <= 20) bits.in_first_20 += sum / 20;
    if (t > 180) bits.in_last_20 += sum / 20;
  }
  for (const auto& peer : recording.back()) bits.models.push_back(digest(peer.model));
  MESSAGE(method << ", batch " << batch << ", " << compressor << ", " << side_information << ": "
                 << bits.in_first_20 << " bits in the first 20 iterations, " << bits.in_last_20
                 << " in the last, " << bits.in_all << " on average");
  return bits;
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE(
      "a9a: side information ends with the same models, in two fifths of the bits if gradients are smooth") {
    const auto data = a9a();
    if (!data) return;
    struct Row {
      std::string method, batch, step;
      double none, entropy, replica, last, mean;  // bits a coordinate, on average
    };
    const std::vector<Row> rows = {
        {"dcd-psgd", "\"full\"", "0.0001", 8.11, 5.70, 6.18, 3.01, 5.05},
        {"dcd-psgd", "\"full\"", "0.01", 8.00, 1.33, 2.04, 2.03, 2.03},
        {"dcd-psgd", "32", "0.0001", 9.90, 8.61, 9.56, 9.54, 9.53},
        {"dcd-psgd", "32", "0.01", 8.00, 2.24, 2.93, 2.93, 2.93},
        {"choco-sgd", "\"full\"", "0.0001", 8.11, 5.74, 6.18, 3.18, 5.05},
        {"choco-sgd", "\"full\"", "0.01", 8.00, 1.78, 2.21, 2.21, 2.20},
        {"choco-sgd", "32", "0.0001", 9.49, 8.13, 9.00, 8.91, 8.89},
        {"choco-sgd", "32", "0.01", 8.00, 2.28, 2.78, 2.76, 2.76},
    };
    for (const Row& row : rows) {
      const std::string grid = "grid(step=" + row.step + ")";
      const auto bits = [&](const std::string& compressor, const std::string& side_information) {
        return bits_of(*data, row.method, row.batch, compressor, side_information);
      };
      const Bits plain = bits(grid, "none");
      CHECK(plain.in_all == doctest::Approx(row.none).epsilon(0.01));
      CHECK(bits(grid + " | entropy", "none").in_all == doctest::Approx(row.entropy).epsilon(0.01));
      const std::vector<std::pair<std::string, double>> predictions = {
          {"replica", row.replica}, {"last", row.last}, {"mean", row.mean}};
      for (const auto& [side_information, expected] : predictions) {
        const Bits near = bits(grid, side_information);
        CHECK(near.models == plain.models);
        CHECK(near.in_all < plain.in_all);
        CHECK(near.in_all == doctest::Approx(expected).epsilon(0.01));
        CHECK(near.in_last_20 < near.in_first_20);
      }
    }
  }
}

}  // namespace hearsay::test::side_information_training_test

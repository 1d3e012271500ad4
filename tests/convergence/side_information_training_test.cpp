// Side information on a9a: how many bits a coordinate takes, as a run goes on.
#include <doctest/doctest.h>

#include <string>

#include "runtime/foundation/digest.hpp"
#include "tests/convergence/a9a.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/experiments.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

/// Bits of payload a coordinate, and where the run ended.
struct Bits {
  double in_first_20 = 0.0;
  double in_last_20 = 0.0;
  double in_all = 0.0;
  std::vector<std::uint64_t> models;
};

/// 200 iterations on a ring of 8, step 0.3.
Bits bits_of(const A9a& data, const std::string& method, const std::string& batch, const std::string& compressor,
             const std::string& side_information) {
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
      sum += 8.0 * static_cast<double>(peer.sent.front().packet->size()) / static_cast<double>(peer.model.size()) / 8;
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

TEST_CASE("a9a: side information") {
  const auto data = a9a();
  if (!data) return;
  for (const std::string method : {"dcd-psgd", "choco-sgd"})
    for (const std::string batch : {"\"full\"", "32"})
      for (const std::string step : {"0.01", "0.0001"}) {
        const std::string grid = "grid(step=" + step + ")";
        const Bits plain = bits_of(*data, method, batch, grid, "none");
        bits_of(*data, method, batch, grid + " | entropy", "none");
        for (const std::string side_information : {"replica", "last", "mean"}) {
          const Bits near = bits_of(*data, method, batch, grid, side_information);
          CHECK(near.models == plain.models);
          CHECK(near.in_all < plain.in_all);
        }
      }
}

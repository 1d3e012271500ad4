// predictive-coding on a9a: how many bits a coordinate the predictors save, and what they cost.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "tests/convergence/a9a.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test::predictive_coding_training_test {

namespace {

struct Bits {
  double in_round_6 = 0.0;
  double in_100_rounds = 0.0;  ///< mean
};

/// Returns the entropy of what the workers send, bits a coordinate: the mean over workers.
Bits bits_of(const A9a& data, const std::string& predictors, const std::string& more = "") {
  const auto experiment = experiment_from<double>(
      "run = { iterations = 100, evaluate_every = 1 }\n"
      "data = { source = \"" +
      data.source +
      "\" }\n"
      "model = { kind = \"logistic\", l2 = 1e-3 }\n"
      "topology = { kind = \"star\", peers = 8" +
      more +
      " }\n"
      "algorithm = { kind = \"predictive-coding\", step_size = 0.3, batch = \"full\", predictors = \"" +
      predictors + "\" }\n");
  const auto recording = record_run(experiment);
  const auto compressor = make_compressor<double>("grid(0.01) | entropy", {});
  Bits bits;
  std::size_t messages = 0;
  for (std::size_t t = 1; t <= 100; ++t) {
    double sum = 0.0;
    std::size_t answers = 0;
    for (PeerId worker = 1; worker < 8; ++worker) {
      if (recording[t][worker].sent.empty()) continue;
      const std::span<const std::byte> message = recording[t][worker].sent.front().packet->bytes();
      Vector<double> decoded = Vector<double>::Zero(recording[t][worker].model.size());
      REQUIRE(compressor->accumulate(message.subspan(1), 1, view(decoded)) == CodecStatus::ok);
      std::map<double, double> shares;
      for (const double value : decoded) shares[value] += 1.0 / static_cast<double>(decoded.size());
      for (const auto& [value, share] : shares) sum -= share * std::log2(share);
      ++answers;
    }
    if (t == 6) bits.in_round_6 = sum / static_cast<double>(answers);
    bits.in_100_rounds += sum;
    messages += answers;
  }
  bits.in_100_rounds /= static_cast<double>(messages);
  MESSAGE(predictors << more << ": " << bits.in_round_6 << " bits in round 6, " << bits.in_100_rounds
                     << " on average");
  return bits;
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE("a9a: predictors save a sixth of the bits, almost half early, and half of that if half sit out") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const Bits hold = bits_of(*data, "hold");
    const Bits last = bits_of(*data, "last");
    const Bits mean3 = bits_of(*data, "mean3");
    const Bits ema = bits_of(*data, "ema");
    const Bits all = bits_of(*data, "hold, last, mean3, ema");
    CHECK(hold.in_round_6 == doctest::Approx(2.12).epsilon(0.05));
    CHECK(last.in_round_6 == doctest::Approx(1.19).epsilon(0.05));
    CHECK(mean3.in_round_6 == doctest::Approx(1.52).epsilon(0.05));
    CHECK(ema.in_round_6 == doctest::Approx(1.45).epsilon(0.05));
    CHECK(all.in_round_6 < 0.57 * hold.in_round_6);
    CHECK(hold.in_100_rounds == doctest::Approx(1.22).epsilon(0.02));
    CHECK(ema.in_100_rounds == doctest::Approx(1.07).epsilon(0.02));
    CHECK(all.in_100_rounds == doctest::Approx(1.02).epsilon(0.02));
    const std::string half = ", participation = 0.5";
    const Bits hold_of_half = bits_of(*data, "hold", half);
    const Bits all_of_half = bits_of(*data, "hold, last, mean3, ema", half);
    CHECK(all_of_half.in_100_rounds == doctest::Approx(0.925 * hold_of_half.in_100_rounds).epsilon(0.02));
    const auto gap = [&](const std::string& predictors) {
      return gap_of<double>(*data, {"kind = \"predictive-coding\", predictors = \"" + predictors + "\"",
                                    "100", "0.3", "iid", "kind = \"star\", peers = 8"});
    };
    CHECK(gap("hold, last, mean3, ema") == doctest::Approx(gap("hold")).epsilon(0.05).scale(0));
  }
}

}  // namespace hearsay::test::predictive_coding_training_test

#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "tests/convergence/a9a.hpp"

namespace hearsay::test::bias_training_test {

TEST_SUITE("slow") {
  TEST_CASE(
      "a9a by label: CEDAS at 2 bits ends at the optimum, in float, too, CHOCO and DCD stall at their bias") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const A9aRun cedas = {"kind = \"cedas\", compressor = \"dither(linf, bits=2, bucket=512)\"", "5000"};
    CHECK(gap_of<double>(*data, cedas) < 2e-8);
    CHECK(gap_of<float>(*data, cedas) < 2e-8);
    for (const std::string kind : {"dcd-psgd", "choco-sgd"})
      CHECK(
          gap_of<double>(*data, {"kind = \"" + kind + "\", compressor = \"dither(linf, bits=4, bucket=512)\"",
                                 "1000"}) > 1e-2);
  }

  // LEAD calls this 2 bits: two positive levels. One positive level diverges at these steps.
  TEST_CASE(
      "a9a by label: with two positive levels CEDAS takes the steps of its paper, gamma 1, damping 0.5") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    CHECK(gap_of<double>(*data, {"kind = \"cedas\", compressor = \"dither(linf, levels=2, bucket=512)\", "
                                 "consensus_step = 1.0, damping = 0.5",
                                 "5000"}) < 4e-9);
  }

  // This takes 15 s of one core. These steps are the fastest of those tried (both steps 0.1: 40,000
  // iterations, 50 s).
  TEST_CASE("a9a by label: BEER ends at the optimum with the largest tenth of every difference") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    CHECK(gap_of<double>(*data, {"kind = \"beer\", compressor = \"topk(10%)\", consensus_step = 0.2", "11000",
                                 "0.4"}) < 2e-8);
  }
}

}  // namespace hearsay::test::bias_training_test

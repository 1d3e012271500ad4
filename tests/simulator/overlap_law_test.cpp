// Law: the messages of a method travel while gradients are computed, as its manual says.
#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test::overlap_law_test {

namespace {

/// Returns how long the second half of a run of the method takes, in seconds, and what it sends.
struct Half {
  double seconds;
  double bytes;
};
Half second_half(const MethodInfo& method, const std::string& network) {
  const RunOutcome<float> outcome = simulate(
      experiment_from<float>("model.kind = \"quadratic(2000)\"\nrun = { iterations = 40, evaluate_every = 20 "
                             "}\ntopology = { kind = \"" +
                             std::string(method.pattern.has_hub ? "star" : "ring") +
                             "\", peers = 8 }\nalgorithm = { kind = \"" + method.name +
                             "\", step_size = 0.01, allow_unsound = true }\nnetwork = { " + network + " }\n"),
      Duration{0});
  const auto& evaluations = outcome.evaluations;
  const auto& last = evaluations.back();
  const auto& before = evaluations[evaluations.size() - 2];
  return {last.seconds - before.seconds, static_cast<double>(last.bytes_sent - before.bytes_sent)};
}

}  // namespace

TEST_CASE(
    "overlap: messages travel while gradients are computed, in part or not at all, as the manual says") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const Half computing = second_half(method, "compute = \"200 ms\"");
    if (computing.seconds == 0.0) continue;  // a method without gradients
    const double busiest = method.pattern.has_hub ? computing.bytes / 2.0 : computing.bytes / 8.0;
    const double bits_per_second = 8.0 * busiest / computing.seconds;
    const std::string bandwidth =
        "bandwidth = \"" + std::to_string(static_cast<long>(bits_per_second)) + " bit/s\"";
    const Half sending = second_half(method, "compute = \"0 s\", " + bandwidth);
    const Half both = second_half(method, "compute = \"200 ms\", " + bandwidth);
    const double hidden =
        (computing.seconds + sending.seconds - both.seconds) / std::min(computing.seconds, sending.seconds);
    CAPTURE(hidden);
    // As long as the gradient, or as the messages, and a tenth at most.
    if (method.manual.overlap == Overlap::all)
      CHECK(both.seconds <= 1.1 * std::max(computing.seconds, sending.seconds));
    const Overlap overlap = hidden > 0.9 ? Overlap::all : hidden > 0.02 ? Overlap::some : Overlap::none;
    CHECK(std::string(overlap_text(overlap)) == overlap_text(method.manual.overlap));
  }
}

}  // namespace hearsay::test::overlap_law_test

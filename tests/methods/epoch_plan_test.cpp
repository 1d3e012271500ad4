#include "algorithms/methods/parts/epoch_plan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/support/misuse_text.hpp"

namespace hearsay::epoch_plan_test {

TEST_CASE("epoch plan: every iteration stands where counting one by one says") {
  for (const char* consensus : {"k", "3", "min(k, 4)"})
    for (const double growth : {1.0, 1.25, 2.0})
      for (const std::uint64_t first : {1, 5}) {
        const ConsensusRule rule = ConsensusRule::parse(consensus);
        const EpochPlan plan(first, growth, rule);
        std::uint64_t epoch = 1, step = 0, rounds = 0, previous = 0;
        const auto length = [&](std::uint64_t s) {
          return static_cast<std::uint64_t>(std::ceil(std::pow(growth, s) * static_cast<double>(first)));
        };
        for (std::uint64_t t = 1; t <= 200; ++t) {
          if (++step > length(epoch)) {
            previous = length(epoch++);
            step = 1;
          }
          const EpochPlan::Position position = plan.at(t);
          CHECK(position.step == step);
          CHECK(position.length == length(epoch));
          CHECK(position.previous_length == previous);
          CHECK(position.rounds == rule.rounds(step));
          CHECK(position.rounds_before == rounds);
          rounds += position.rounds;
        }
      }
}

TEST_CASE("epoch plan: it answers out of order, too") {
  const EpochPlan plan(3, 1.5, ConsensusRule::parse("min(k, 4)"));
  for (std::uint64_t t = 1; t <= 150; ++t) plan.at(t);
  for (std::uint64_t t = 150; t >= 1; --t) {
    const auto here = plan.at(t);
    CHECK(here.step == EpochPlan(3, 1.5, ConsensusRule::parse("min(k, 4)")).at(t).step);
    CHECK(here.rounds_before == EpochPlan(3, 1.5, ConsensusRule::parse("min(k, 4)")).at(t).rounds_before);
  }
}

TEST_CASE("epoch plan: c(k) is what is spelled") {
  const auto first_five = [](const std::string& spelling) {
    std::vector<std::uint64_t> rounds;
    for (std::uint64_t k = 1; k <= 5; ++k) rounds.push_back(ConsensusRule::parse(spelling).rounds(k));
    return rounds;
  };
  CHECK(first_five("k") == std::vector<std::uint64_t>{1, 2, 3, 4, 5});
  CHECK(first_five("min(k, 3)") == std::vector<std::uint64_t>{1, 2, 3, 3, 3});
  CHECK(first_five("7") == std::vector<std::uint64_t>{7, 7, 7, 7, 7});
  for (const char* wrong : {"", "0", "-1", "kk", "min(k)", "min(2, k)", "min(k, 0)", "minimum(k, 2)", "1e3",
                            "10001", "min(k, 10001)"}) {
    CAPTURE(std::string(wrong));
    CHECK(misuse_text([&] { ConsensusRule::parse(wrong); }).starts_with("algorithm.consensus = "));
  }
}

TEST_CASE("epoch plan: epochs that hardly grow, of which there would be too many, are refused") {
  const ConsensusRule rule = ConsensusRule::parse("k");
  CHECK(misuse_text([&] { EpochPlan(1, 1.0 + 1e-9, rule); }) ==
        "algorithm.inner_growth = 1.000000001: expected 1, for epochs all of one length, or at least 1.001");
  CHECK(EpochPlan(1, 1.001, rule).at(1'000'000'000'000).step > 1);
}

}  // namespace hearsay::epoch_plan_test

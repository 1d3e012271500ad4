#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "tests/faults/campaign_hosts.hpp"
#include "tests/faults/campaign_local.hpp"
#include "tests/faults/campaign_plan.hpp"
#include "tests/support/misuse_text.hpp"

// Random campaigns against real processes, from the first millisecond on. A seed decides what is done to whom
// and when; HEARSAY_CAMPAIGNS=1-1000 runs these seeds instead of the few of CI.

namespace hearsay::test::faults_campaign_test {

namespace {

/// Returns the first and last seed.
std::pair<std::uint64_t, std::uint64_t> seeds(std::uint64_t count) {
  const char* const given = std::getenv("HEARSAY_CAMPAIGNS");
  if (!given) return {1, count};
  const std::string text = given;
  const std::size_t dash = text.find('-');
  return {std::stoull(text), std::stoull(dash == text.npos ? text : text.substr(dash + 1))};
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "faults: campaigns against hearsay run, from the first millisecond on, cost what they cost later") {
    const auto [first, last] = seeds(20);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      const CampaignPlan plan = plan_on_one_machine(seed);
      CAPTURE(seed);
      CAPTURE(to_text(plan));
      LocalCampaign(plan).run();
    }
  }

  TEST_CASE("faults: campaigns against peers that were each started on its own cost what they cost later") {
    const auto [first, last] = seeds(10);
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      const CampaignPlan plan = plan_on_hosts(seed);
      CAPTURE(seed);
      CAPTURE(to_text(plan));
      HostsCampaign(plan).run();
    }
  }
}

}  // namespace hearsay::test::faults_campaign_test

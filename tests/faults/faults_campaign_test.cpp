#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

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

/// What the campaigns of a test have struck, and with what.
class Tally {
 public:
  void add(const CampaignPlan& plan, const std::vector<Strike>& hits) {
    planned_ += plan.strikes.size();
    for (const Strike& hit : hits) {
      ++targets_[hit.target];
      ++deeds_[hit.deed];
    }
    hits_ += hits.size();
  }
  /// Checks that most strikes have hit, each of the targets among them, and with each of the deeds.
  void check(std::initializer_list<Target> targets, std::initializer_list<Deed> deeds) {
    for (const Target target : targets) CHECK(targets_[target] > 0);
    for (const Deed deed : deeds) CHECK(deeds_[deed] > 0);
    CHECK(2 * hits_ > planned_);
  }

 private:
  std::map<Target, std::size_t> targets_;
  std::map<Deed, std::size_t> deeds_;
  std::size_t hits_ = 0;
  std::size_t planned_ = 0;
};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "faults: campaigns against hearsay run, from the first millisecond on, cost what they cost later") {
    const auto [first, last] = seeds(20);
    Tally tally;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      const CampaignPlan plan = plan_on_one_machine(seed);
      CAPTURE(seed);
      CAPTURE(to_text(plan));
      LocalCampaign campaign(plan);
      campaign.run();
      tally.add(plan, campaign.hits());
    }
    if (last - first + 1 >= 20)
      tally.check({Target::peer, Target::program, Target::parent}, {Deed::kill, Deed::terminate, Deed::stop});
  }

  TEST_CASE("faults: campaigns against peers that were each started on its own cost what they cost later") {
    const auto [first, last] = seeds(10);
    Tally tally;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      const CampaignPlan plan = plan_on_hosts(seed);
      CAPTURE(seed);
      CAPTURE(to_text(plan));
      HostsCampaign campaign(plan);
      campaign.run();
      tally.add(plan, campaign.hits());
    }
    if (last - first + 1 >= 10)
      tally.check({Target::peer, Target::program}, {Deed::kill, Deed::terminate, Deed::stop});
  }
}

}  // namespace hearsay::test::faults_campaign_test

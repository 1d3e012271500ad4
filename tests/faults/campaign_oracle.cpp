#include "tests/faults/campaign_oracle.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test {

namespace {

using Json = nlohmann::ordered_json;

/// Simulates the run without faults, and returns where its record is.
std::filesystem::path simulated(const CampaignEnd& end) {
  std::vector<std::string> words = {"simulate", "run.toml", "--quiet", "--output", "calm"};
  words.insert(words.end(), end.settings.begin(), end.settings.end());
  const ProgramEnd simulation = run_program(end.folder, words);
  REQUIRE_MESSAGE(simulation.code == 0, simulation.complained);
  return end.folder / "calm";
}

/// Checks that those who were lost may be, and that everybody else trained to the end: also one that was
/// killed when it had done all it was to do.
void check_who_was_lost(const std::set<std::size_t>& may_be_lost, const Json& summary) {
  CAPTURE(summary.dump());
  const auto dropped = summary["dropped"].get<std::set<std::size_t>>();
  CHECK(std::ranges::includes(may_be_lost, dropped));
  for (const Json& peer : summary["per_peer"])
    if (!dropped.contains(peer["peer"].get<std::size_t>())) CHECK(peer["iterations"] == campaign_iterations);
}

}  // namespace

bool ended_well(const CampaignToll& toll, int code, const std::string& complained) {
  const auto came_too_late = [&](const Strike& hit) {
    return hit.target == Target::program && hit.ends_its_target() &&
           contains(complained, "the program of peer " + std::to_string(hit.id) +
                                    " has failed after its last answer, by signal ");
  };
  return code == (std::ranges::any_of(toll.hits, came_too_late) ? 3 : 0);
}

void check_same_bits(const CampaignToll& toll, const CampaignEnd& end) {
  REQUIRE_MESSAGE(ended_well(toll, end.code, end.complained), end.complained);
  const RunRecord record = record_of(end.output);
  const RunRecord calm = record_of(simulated(end));
  CHECK(record.summary["status"] == "done");
  CHECK(record.summary["model_digest"] == calm.summary["model_digest"]);
  CHECK(record.evaluations == calm.evaluations);
}

void check_dropped(const CampaignRun& run, const CampaignToll& toll, const CampaignEnd& end) {
  const std::set<std::size_t> may_be_lost = toll.may_be_lost();
  if (may_be_lost.empty()) return check_same_bits(toll, end);
  const bool hub_may_be_lost = run.has_hub() && may_be_lost.contains(0);
  const bool standby_alone_is_asked = run.has_standby && may_be_lost == std::set<std::size_t>{0};
  if (end.code == 3 && hub_may_be_lost && !standby_alone_is_asked) {
    CHECK_MESSAGE(contains(end.complained, "hub"), end.complained);
    return;
  }
  REQUIRE_MESSAGE(ended_well(toll, end.code, end.complained), end.complained);
  const Json summary = record_of(end.output).summary;
  REQUIRE(summary.is_object());
  CHECK(summary["status"] == "done");
  CHECK(summary["iterations"] == campaign_iterations);
  CHECK(summary["replicas_consistent"] != false);
  check_who_was_lost(may_be_lost, summary);
  if (!summary["took_over"].is_null()) {
    CHECK(hub_may_be_lost);
    CHECK(summary["took_over"]["peer"] == 1);
  }
  if (standby_alone_is_asked)
    CHECK(content_of(end.output / "model.npy") == content_of(simulated(end) / "model.npy"));
}

}  // namespace hearsay::test

#include "tests/support/run_record.hpp"

#include <doctest/doctest.h>

#include <fstream>

namespace hearsay::test {

using Json = nlohmann::ordered_json;

std::uint64_t RunRecord::total(const std::string& counter) const {
  std::uint64_t sum = 0;
  for (const Json& peer : summary["per_peer"]) sum += peer[counter].get<std::uint64_t>();
  return sum;
}

RunRecord record_of(const std::filesystem::path& output) {
  RunRecord record;
  std::ifstream summary(output / "summary.json");
  record.summary = Json::parse(summary, nullptr, false);
  std::ifstream metrics(output / "metrics.jsonl");
  for (std::string line; std::getline(metrics, line);) {
    Json evaluation = Json::parse(line, nullptr, false);
    if (evaluation.is_discarded()) continue;
    evaluation.erase("seconds");
    evaluation.erase("peer_seconds");
    record.evaluations.push_back(evaluation.dump());
  }
  return record;
}

std::size_t evaluations_in(const std::filesystem::path& output) {
  std::ifstream metrics(output / "metrics.jsonl");
  std::size_t lines = 0;
  for (std::string line; std::getline(metrics, line);) ++lines;
  return lines;
}

void check_same_run(const RunRecord& disturbed, const RunRecord& undisturbed) {
  REQUIRE(disturbed.summary.is_object());
  REQUIRE(undisturbed.summary.is_object());
  CHECK(disturbed.summary["status"] == "done");
  CHECK(disturbed.summary["replicas_consistent"] == true);
  CHECK(disturbed.evaluations == undisturbed.evaluations);
  for (const char* same : {"model_digest", "iterations", "loss", "accuracy", "consensus_distance",
                           "bytes_sent", "messages_sent", "gradient_evaluations", "gossip_rounds"}) {
    CAPTURE(same);
    CHECK(disturbed.summary[same] == undisturbed.summary[same]);
  }
}

}  // namespace hearsay::test

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
    evaluation.erase("crc32");
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

namespace {

std::vector<std::string> without_traffic(const RunRecord& record) {
  std::vector<std::string> left;
  for (const std::string& line : record.evaluations) {
    Json evaluation = Json::parse(line);
    evaluation.erase("bytes_sent");
    evaluation.erase("messages_sent");
    left.push_back(evaluation.dump());
  }
  return left;
}

}  // namespace

void check_same_run(const RunRecord& disturbed, const RunRecord& undisturbed, Said said) {
  REQUIRE(disturbed.summary.is_object());
  REQUIRE(undisturbed.summary.is_object());
  CHECK(disturbed.summary["status"] == "done");
  CHECK(disturbed.summary["replicas_consistent"] == true);
  CHECK(without_traffic(disturbed) == without_traffic(undisturbed));
  for (const char* same : {"model_digest", "iterations", "loss", "accuracy", "consensus_distance",
                           "gradient_evaluations", "gossip_rounds"}) {
    CAPTURE(same);
    CHECK(disturbed.summary[same] == undisturbed.summary[same]);
  }
  if (said == Said::the_same) CHECK(disturbed.evaluations == undisturbed.evaluations);
  for (const char* sent : {"bytes_sent", "messages_sent"}) {
    CAPTURE(sent);
    if (said == Said::the_same)
      CHECK(disturbed.summary[sent] == undisturbed.summary[sent]);
    else
      CHECK(disturbed.summary[sent] > undisturbed.summary[sent]);
  }
}

}  // namespace hearsay::test

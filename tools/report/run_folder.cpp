#include "tools/report/run_folder.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/record_lines.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int record_schema = 1;                // of sweep.json, and of influence.json
constexpr std::size_t most_samples_shown = 20;  // of a list of influences

bool is_file(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

}  // namespace

std::optional<double> RunFolder::peers() const {
  if (summary.is_object())
    if (const auto told = summary.find("peers"); told != summary.end() && told->is_number() && *told > 0.0)
      return told->get<double>();
  if (settings) return settings->topology.peers;
  return std::nullopt;
}

bool is_run_folder(const fs::path& folder) {
  return is_file(folder / "run.toml") &&
         (is_file(folder / "summary.json") || is_file(folder / "metrics.jsonl"));
}

Json read_record(const fs::path& file) {
  Json record = parse_checksummed(read_text_file(file), file.string());
  if (!record.is_object()) throw Misuse(file.string() + ": this is no record of hearsay");
  const auto schema = record.find("schema");
  if (schema != record.end() && *schema != record_schema && *schema != schema_of_statistics)
    throw Misuse(file.string(), "schema = " + schema->dump(),
                 "it is of another version of hearsay; expected schema = " + std::to_string(record_schema) +
                     ", or " + std::to_string(schema_of_statistics) + " of many peers");
  return record;
}

Json influence_in(const fs::path& folder) {
  if (!is_file(folder / "influence.json")) return nullptr;
  const fs::path file = folder / "influence.json";
  Json told = parse_checksummed(read_text_file(file), file.string());
  if (!told.is_object() || told.value("schema", Json()) != record_schema) return nullptr;
  for (const char* list : {"tests", "on_itself", "peers"})
    if (!told.contains(list) || !told[list].is_array()) return nullptr;
  const auto shorten = [](Json& list) {
    if (list.is_array() && list.size() > most_samples_shown)
      list.erase(list.begin() + most_samples_shown, list.end());
  };
  shorten(told["on_itself"]);
  for (Json& test : told["tests"])
    for (const char* list : {"proponents", "opponents"}) {
      if (!test.is_object() || !test.contains(list)) return nullptr;
      shorten(test[list]);
    }
  return told;
}

RunFolder read_run_folder(const fs::path& folder) {
  RunFolder run;
  run.run_file = read_text_file(folder / "run.toml");
  try {
    run.settings = parse_run(run.run_file, folder);
  } catch (const Misuse&) {
    // The file is of another version of hearsay, or names files that are gone. The record can be shown
    // without it.
  }
  if (is_file(folder / "summary.json"))
    run.summary = read_record(folder / "summary.json");
  else if (is_file(folder / "provenance.json"))
    // A run that is cut off just now may leave half a file.
    run.beginning =
        parse_checksummed(read_text_file(folder / "provenance.json"), (folder / "provenance.json").string());
  if (!run.beginning.is_object()) run.beginning = nullptr;
  MetricsFile metrics = read_metrics(folder / "metrics.jsonl");
  MetricsFile consensus = read_metrics(folder / "consensus.jsonl");
  require_last_line(folder, "metrics.jsonl", run.summary, metrics.checksum, metrics.course.size());
  require_last_line(folder, "consensus.jsonl", run.summary, consensus.checksum, consensus.course.size());
  if (run.summary.is_object()) run.summary.erase("crc32_of");
  run.course = std::move(metrics.course);
  run.defect = std::move(metrics.defect);
  run.consensus = std::move(consensus.course);
  run.influence = influence_in(folder);
  return run;
}

Json facts_of(const RunFolder& run) {
  Json facts = Json::object();
  if (run.summary.is_object()) {
    for (const auto& [key, value] : run.summary.items())
      if (value.is_primitive()) facts[key] = value.is_number_float() ? short_number(value) : value;
    // Whole: a claim may be about what little one loss has above another.
    if (const auto loss = run.summary.find("loss"); loss != run.summary.end() && loss->is_number())
      facts["loss"] = *loss;
    for (const std::string name : {"hub_port", "round_deadline"})
      if (const auto told = run.summary.find(name); told != run.summary.end() && told->is_object())
        for (const auto& [key, value] : told->items())
          facts[name][key] = value.is_number_float() ? short_number(value) : value;
  } else {
    facts["status"] = "unfinished";
    if (run.settings) {
      facts["run"] = run.settings->run.name;
      facts["algorithm"] = run.settings->algorithm.kind;
      facts["compressor"] = run.settings->algorithm.compressor;
      facts["topology"] = run.settings->topology.kind;
      facts["evaluated"] = evaluated_text(*run.settings);
      if (const TopologySettings& topology = run.settings->topology; topology.rounds_close())
        facts["round_deadline"]["seconds"] = short_number(seconds(topology.round_deadline));
      if (!run.settings->run.epochs) facts["iterations_planned"] = run.settings->run.iterations;
    }
    if (const auto peers = run.peers()) facts["peers"] = static_cast<std::uint64_t>(*peers);
    if (!run.course.empty()) {
      const Json& last = run.course.back();
      for (const auto& [key, name] :
           {std::pair("iteration", "iterations"), std::pair("epoch", "epochs"),
            std::pair("seconds", "seconds"), std::pair("loss", "loss"), std::pair("accuracy", "accuracy"),
            std::pair("loss_worst", "loss_worst"), std::pair("loss_spread", "loss_spread"),
            std::pair("consensus_distance", "consensus_distance"), std::pair("bytes_sent", "bytes_sent")})
        if (const auto found = last.find(key); found != last.end()) facts[name] = short_number(*found);
    }
  }
  if (run.settings && run.settings->run.target_loss) facts["target_loss"] = *run.settings->run.target_loss;
  return facts;
}

}  // namespace hearsay

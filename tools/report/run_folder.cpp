#include "tools/report/run_folder.hpp"

#include <algorithm>
#include <cmath>
#include <map>
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

constexpr int record_schema = 1;  // of summary.json and sweep.json
constexpr std::size_t most_peers_shown = 128;
constexpr std::size_t most_links_shown = 128;
constexpr std::size_t most_samples_shown = 20;  // of a list of influences
constexpr double most_blocks = 64;              // of the map of links, on each side

bool is_file(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored);
}

double number_or_zero(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

/// Returns the objects in the list `key` of a peer's record; empty if there is no such list.
std::vector<Json> objects_at(const Json& peer, const char* key) {
  std::vector<Json> objects;
  if (const auto list = peer.find(key); list != peer.end() && list->is_array())
    for (const Json& object : *list)
      if (object.is_object()) objects.push_back(object);
  return objects;
}

struct Link {
  double seconds = 0.0;  ///< that the second peer waited for the first
  double bytes = 0.0;    ///< that the first sent to the second
};
using Links = std::map<std::pair<double, double>, Link>;  ///< by (from, to)

Links links_between(const std::vector<const Json*>& peers) {
  Links links;
  for (const Json* peer : peers) {
    const double id = number_or_zero(*peer, "peer");
    for (const Json& source : objects_at(*peer, "waited_for"))
      links[{number_or_zero(source, "peer"), id}].seconds = number_or_zero(source, "seconds");
    for (const Json& hearer : objects_at(*peer, "sent_to"))
      links[{id, number_or_zero(hearer, "peer")}].bytes = number_or_zero(hearer, "bytes");
  }
  return links;
}

/// Returns the links as [from, to, seconds that `to` waited, bytes], the longest waits first.
Json longest_waits(const Links& links) {
  std::vector<std::pair<std::pair<double, double>, Link>> sorted(links.begin(), links.end());
  std::ranges::stable_sort(sorted, [](const auto& one, const auto& other) {
    return std::pair(one.second.seconds, one.second.bytes) >
           std::pair(other.second.seconds, other.second.bytes);
  });
  sorted.resize(std::min(sorted.size(), most_links_shown));
  Json list = Json::array();
  for (const auto& [ends, link] : sorted)
    list.push_back({ends.first, ends.second, short_number(link.seconds), link.bytes});
  return list;
}

/// Returns all links as a map of cells, each of the links from one block of peers to another.
Json map_of(const Links& links) {
  double last = 0.0;
  for (const auto& [ends, link] : links) last = std::max({last, ends.first, ends.second});
  const double side = std::floor(last / most_blocks) + 1.0;
  struct Cell : Link {
    double links = 0.0;
  };
  std::map<std::pair<double, double>, Cell> cells;
  for (const auto& [ends, link] : links) {
    Cell& cell = cells[{std::floor(ends.first / side), std::floor(ends.second / side)}];
    cell.seconds += link.seconds;
    cell.bytes += link.bytes;
    cell.links += 1.0;
  }
  Json list = Json::array();
  for (const auto& [place, cell] : cells)
    list.push_back({place.first, place.second, short_number(cell.seconds / cell.links),
                    short_number(cell.bytes / cell.links), cell.links});
  return {{"side", side}, {"blocks", std::floor(last / side) + 1.0}, {"cells", std::move(list)}};
}

}  // namespace

std::optional<double> RunFolder::peers() const {
  if (summary.is_object() && number_or_zero(summary, "peers") > 0.0) return number_or_zero(summary, "peers");
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
  if (const auto schema = record.find("schema"); schema != record.end() && *schema != record_schema)
    throw Misuse(file.string(), "schema = " + schema->dump(),
                 "it is of another version of hearsay; expected schema = " + std::to_string(record_schema));
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

Json peers_of(const Json& summary) {
  if (!summary.is_object()) return nullptr;
  const auto per_peer = summary.find("per_peer");
  if (per_peer == summary.end() || !per_peer->is_array() || per_peer->empty()) return nullptr;
  std::vector<const Json*> shown;
  for (const Json& peer : *per_peer)
    if (peer.is_object()) shown.push_back(&peer);
  const Links links = links_between(shown);
  const std::size_t of = shown.size();
  if (of > most_peers_shown) {
    std::ranges::stable_sort(shown, std::greater<>(),
                             [](const Json* peer) { return number_or_zero(*peer, "wait_seconds"); });
    shown.resize(most_peers_shown);
    std::ranges::sort(shown);
  }
  Json columns = {{"of", of}};
  for (const char* key :
       {"peer", "bytes_sent", "bytes_received", "compute_seconds", "wait_seconds", "wire_seconds"}) {
    columns[key] = Json::array();
    for (const Json* peer : shown) columns[key].push_back(short_number(peer->value(key, Json(nullptr))));
  }
  columns["links"] = longest_waits(links);
  columns["map"] = map_of(links);
  return columns;
}

}  // namespace hearsay

#include "tools/advise/advice_text.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/experiment/run_topology.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/network_text.hpp"
#include "tools/terminal/options_json.hpp"
#include "tools/terminal/table.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

bool uses_the_graph(const RunSettings& settings) {
  return find_method(settings.algorithm.kind).pattern.uses_graph;
}

std::string topology_text(const RunSettings& settings, const RunSettings& yours) {
  if (!uses_the_graph(settings)) return "a ring of all peers";
  const TopologySettings& topology = settings.topology;
  std::string text = topology.file.empty() ? topology.kind : topology.file.filename().string();
  if (topology.schedule != "static") text += ", " + topology.schedule;
  if (topology.weights != yours.topology.weights) text += ", " + topology.weights + " weights";
  return text;
}

/// Returns ", 4 local steps"; nothing if a round has one step.
std::string local_steps_text(const RunSettings& settings) {
  const std::uint64_t steps = settings.algorithm.options.find(option::local_steps).value_or(1);
  return steps > 1 ? ", " + std::to_string(steps) + " local steps" : "";
}

/// Returns the name of the method, with its local steps, its step size if the user's differs and its
/// consensus step if the default differs.
std::string method_text(const RunSettings& settings, const RunSettings& yours) {
  std::string text = settings.algorithm.kind + local_steps_text(settings);
  if (settings.algorithm.step_size != yours.algorithm.step_size)
    text += ", step_size " + significant(settings.algorithm.step_size);
  const auto step = settings.algorithm.options.find(option::consensus_step);
  if (step != find_method(settings.algorithm.kind).options.find(option::consensus_step))
    text += ", consensus_step " + significant(*step);
  return text;
}

/// Returns the spectral gap of a run. Empty if it has none, or if its method does not read W.
std::optional<double> read_spectral_gap(const RunSettings& settings) {
  if (!find_method(settings.algorithm.kind).pattern.reads_weights) return std::nullopt;
  return spectral_gap_of(settings, make_named_topology(settings.topology, settings.run.seed));
}

/// Returns the ratio of the times to the target; if the user's run does not reach it, of the time that it was
/// tried for, which is the least that the ratio can be. Empty if the candidate does not reach it.
std::optional<double> times_as_fast(const Prospect& prospect, const Prospect& yours) {
  if (!prospect.promises() || prospect.seconds <= 0.0) return std::nullopt;
  return (yours.promises() ? yours.seconds : yours.tried_seconds) / prospect.seconds;
}

/// "2.50x"; "> 2.50x" if the user's run was tried for so long without reaching the target; "-" if it was not
/// tried for as long as the candidate takes.
std::string ratio_text(std::optional<double> faster, const Prospect& yours) {
  if (!faster || (!yours.promises() && *faster < 1.0)) return "-";
  return (yours.promises() ? "" : "> ") + fixed(*faster, 2) + "x";
}

bool is_yours(const Prospect& prospect, const RankedAdvice& advice) {
  return prospect.settings == advice.yours.settings;
}

void add_row(Table& table, const std::string& place, const Prospect& prospect, const RankedAdvice& advice,
             bool with_hub_ports) {
  const RunSettings& settings = prospect.settings;
  const auto gap = read_spectral_gap(settings);
  const auto faster = times_as_fast(prospect, advice.yours);
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  const bool known = prospect.promises();
  std::string remark = is_yours(prospect, advice) ? "yours" : "";
  if (prospect.fate != Fate::reached) remark += (remark.empty() ? "" : ", ") + to_text(prospect.fate);
  if (prospect.fate == Fate::in_sight)
    remark += " (" + grouped(prospect.soonest) + " to " + counted(prospect.latest, "iteration") + ")";
  std::vector<std::string> cells = {place,
                                    method_text(settings, advice.yours.settings),
                                    settings.algorithm.compressor,
                                    topology_text(settings, advice.yours.settings),
                                    gap ? fixed(*gap, 3) : "-",
                                    known ? grouped(prospect.iterations) : "-",
                                    fixed(known ? prospect.seconds : nothing, 2),
                                    fixed(known ? prospect.bytes_per_peer / 1e6 : nothing, 2)};
  if (with_hub_ports)
    cells.push_back(prospect.hub_port_share ? fixed(100.0 * *prospect.hub_port_share, 0) + " %" : "-");
  cells.push_back(significant(known ? prospect.consensus_distance : nothing, 3));
  cells.push_back(ratio_text(faster, advice.yours));
  cells.push_back(remark);
  table.add(std::move(cells));
}

/// Calls the function with every prospect of the table, and its place in it. The last is the user's own if it
/// is not among the first; its place is empty, since the ranks between are not all known.
template <class Function>
void for_each_printed(const RankedAdvice& advice, Function&& function) {
  bool yours_is_printed = false;
  for (std::size_t k = 0; k < std::min(advised, advice.ranked.size()); ++k) {
    function(std::to_string(k + 1), advice.ranked[k]);
    yours_is_printed = yours_is_printed || is_yours(advice.ranked[k], advice);
  }
  if (!yours_is_printed) function("", advice.yours);
}

/// True if a prospect of the table has a hub whose port is limited.
bool has_hub_ports(const RankedAdvice& advice) {
  bool some = false;
  for_each_printed(advice, [&](const std::string&, const Prospect& of) { some = some || of.hub_port_share; });
  return some;
}

std::string table_of(const RankedAdvice& advice) {
  using enum Table::Align;
  const bool with_hub_ports = has_hub_ports(advice);
  std::vector<Table::Column> columns = {{"", right},
                                        {"method", left},
                                        {"compressor", left},
                                        {"topology", left},
                                        {"spectral gap", right},
                                        {"iterations", right},
                                        {"predicted seconds", right},
                                        {"MB/peer", right}};
  if (with_hub_ports) columns.push_back({"hub's port", right});
  columns.insert(columns.end(), {{"consensus", right}, {"times as fast", right}, {"", left}});
  Table table(std::move(columns));
  for_each_printed(advice, [&](const std::string& place, const Prospect& prospect) {
    add_row(table, place, prospect, advice, with_hub_ports);
  });
  return table.text();
}

/// Returns which model is at the target in the rows of the table.
std::string model_at_target_text(const RankedAdvice& advice) {
  const auto has_hub = [](const Prospect& of) {
    return find_method(of.settings.algorithm.kind).pattern.has_hub;
  };
  bool some_hubs = false;
  bool all_hubs = true;
  for_each_printed(advice, [&](const std::string&, const Prospect& of) {
    some_hubs = some_hubs || has_hub(of);
    all_hubs = all_hubs && has_hub(of);
  });
  const std::string model = all_hubs    ? "the hub's model"
                            : some_hubs ? "the mean of the models, of methods with a hub the hub's model,"
                                        : "the mean of the models";
  return "it is " + model + " that is at the target; consensus: how far (rms) " +
         (some_hubs ? "the models" : "they") + " are from it";
}

std::string sureness_text(const RankedAdvice& advice) {
  const auto printed = std::min(advised, advice.ranked.size());
  const auto guessed =
      std::count_if(advice.ranked.begin(), advice.ranked.begin() + static_cast<std::ptrdiff_t>(printed),
                    [](const Prospect& of) { return of.fate == Fate::in_sight; });
  if (guessed == 0) return "each was trained in the simulator until it was at the target";
  return counted(static_cast<std::uint64_t>(guessed), "row") +
         " extrapolated from how the loss fell in the last of the iterations that were simulated (its range: "
         "if "
         "it goes on falling as fast, or ever more slowly); the others were trained until they were at the "
         "target";
}

struct LeftOut {
  Fate fate;
  std::string heading;
  bool by_name;
};

/// Adds one line for each fate. Fates that say something about the method also name a few candidates.
void add_left_out(Table& table, const RankedAdvice& advice) {
  constexpr std::size_t most_names = 3;
  const LeftOut kinds[] = {
      {Fate::slower, "slower: above the target still when the fifth was there", false},
      {Fate::bounded,
       "not tried: with the iterations of all-reduce, which averages exactly, no faster than the fifth",
       false},
      {Fate::apart, "whose models stay apart: ", true},
      {Fate::levels_off, "not at the target: ", true},
      {Fate::diverges, "diverging: ", true},
      {Fate::refused, "refused: ", true},
      {Fate::untold, "not tried long enough: ", true}};
  bool first = true;
  for (const LeftOut& kind : kinds) {
    std::vector<const Prospect*> of_kind;
    for (const Prospect& prospect : advice.left_out)
      if (prospect.fate == kind.fate) of_kind.push_back(&prospect);
    if (of_kind.empty()) continue;
    table.add({first ? "left out" : "", std::to_string(of_kind.size()) + " " + kind.heading +
                                            (kind.by_name ? "such as " + label_of(*of_kind.front()) : "")});
    first = false;
    if (!kind.by_name) continue;
    const std::string& why = of_kind.front()->why;
    table.add({"", "  " + why.substr(0, why.find(';'))});
    std::string also;
    for (std::size_t k = 1; k < std::min(most_names, of_kind.size()); ++k)
      also += (also.empty() ? "" : "; ") + label_of(*of_kind[k]);
    if (of_kind.size() > 1) table.add({"", "  and " + also + (of_kind.size() > most_names ? "; ..." : "")});
  }
}

Json json_of(const Prospect& prospect, const RankedAdvice& advice) {
  const RunSettings& settings = prospect.settings;
  const bool known = prospect.promises();
  const auto gap = known ? read_spectral_gap(settings) : std::nullopt;
  const auto faster = times_as_fast(prospect, advice.yours);
  const bool compared = faster && advice.yours.promises();
  return {
      {"algorithm", settings.algorithm.kind},
      {"compressor", settings.algorithm.compressor},
      {"options", options_json(settings.algorithm.options)},
      {"step_size", settings.algorithm.step_size},
      {"topology", settings.topology.file.empty() ? settings.topology.kind : settings.topology.file.string()},
      {"schedule", settings.topology.schedule},
      {"weights", settings.topology.weights},
      {"spectral_gap", gap ? Json(*gap) : Json(nullptr)},
      {"fate", to_text(prospect.fate)},
      {"why", prospect.why},
      {"simulated_iterations", prospect.tried},
      {"iterations", known ? Json(prospect.iterations) : Json(nullptr)},
      {"iterations_soonest", known ? Json(prospect.soonest) : Json(nullptr)},
      {"iterations_latest", known ? Json(prospect.latest) : Json(nullptr)},
      {"seconds", known ? Json(prospect.seconds) : Json(nullptr)},
      {"bytes_per_peer", known ? Json(prospect.bytes_per_peer) : Json(nullptr)},
      {"hub_port_share", prospect.hub_port_share ? Json(*prospect.hub_port_share) : Json(nullptr)},
      {"times_as_fast", compared ? Json(*faster) : Json(nullptr)},
      {"times_as_fast_at_least", faster && !compared ? Json(*faster) : Json(nullptr)}};
}

}  // namespace

std::string label_of(const Prospect& prospect) {
  const RunSettings& settings = prospect.settings;
  const std::string compressor = settings.algorithm.compressor;
  return settings.algorithm.kind + (compressor == "none" ? "" : " " + compressor) +
         local_steps_text(settings) + " on " + topology_text(settings, settings);
}

std::string text_of(const RankedAdvice& advice) {
  Table notes({{"", Table::Align::left}, {"", Table::Align::left}});
  notes.add(
      {"target loss", significant(advice.target_loss, 5) +
                          (advice.target_is_yours ? " (run.target_loss)"
                                                  : " (no run.target_loss: what yours comes to in " +
                                                        counted(advice.yours.tried, "iteration") + ")")});
  notes.add({"network", network_text(advice.yours.settings)});
  if (advice.measured_gradient > Duration{0})
    notes.add({"a gradient", seconds_text(seconds(advice.measured_gradient)) + ", measured here"});
  Table remarks({{"", Table::Align::left}, {"", Table::Align::left}});
  if (!advice.yours.promises()) remarks.add({"yours", to_text(advice.yours.fate) + ": " + advice.yours.why});
  if (!advice.ranked.empty()) remarks.add({"how sure", sureness_text(advice)});
  remarks.add({"", "seconds are virtual: of this network, emulated, where encoding and mixing cost nothing"});
  remarks.add({"", model_at_target_text(advice)});
  if (has_hub_ports(advice))
    remarks.add(
        {"", "hub's port: the share of the time that it is busy, sending or receiving, whichever is more"});
  remarks.add({"", "steps are as long as yours, " + significant(advice.yours.settings.algorithm.step_size) +
                       ", unless its row says otherwise"});
  add_left_out(remarks, advice);
  return notes.text() + "\n" + table_of(advice) + "\n" + remarks.text();
}

Json record_of(const RankedAdvice& advice) {
  Json ranked = Json::array();
  for (const Prospect& prospect : advice.ranked) ranked.push_back(json_of(prospect, advice));
  Json left_out = Json::array();
  for (const Prospect& prospect : advice.left_out) left_out.push_back(json_of(prospect, advice));
  return {{"schema", 1},
          {"status", advice.interrupted ? "interrupted" : "done"},
          {"target_loss", advice.target_loss},
          {"target_is_given", advice.target_is_yours},
          {"measured_gradient_seconds", seconds(advice.measured_gradient)},
          {"yours", json_of(advice.yours, advice)},
          {"ranked", std::move(ranked)},
          {"left_out", std::move(left_out)}};
}

RunSettings run_of_winner(const RankedAdvice& advice) {
  constexpr double to_be_safe = 1.25;
  const Prospect& best = advice.ranked.front();
  RunSettings run = best.settings;
  run.run.name += "-advised";
  run.run.output += "-advised";
  run.run.target_loss = advice.target_loss;
  if (best.latest > best.run_length) {
    run.run.epochs = std::nullopt;
    run.run.iterations = static_cast<std::uint64_t>(std::ceil(to_be_safe * static_cast<double>(best.latest)));
  }
  return run;
}

std::string heading_of(const RankedAdvice& advice, const std::string& command) {
  const Prospect& best = advice.ranked.front();
  const auto faster = times_as_fast(best, advice.yours);
  return "# Written by `" + command + "`, which predicts that this run gets to a loss of " +
         significant(advice.target_loss, 5) + "\n# in " + seconds_text(best.seconds) + ", " +
         counted(best.iterations, "iteration") + " and " + megabytes_text(best.bytes_per_peer) + " a peer" +
         (best.fate == Fate::in_sight ? " (extrapolated from " + counted(best.tried, "iteration") + ")"
                                      : "") +
         (faster && advice.yours.promises()
              ? ", " + fixed(*faster, 2) + " times as fast as " + label_of(advice.yours)
              : "") +
         ".\n# Network: " + network_text(best.settings) +
         ". Simulated: encoding and mixing cost nothing there.\n\n";
}

}  // namespace hearsay

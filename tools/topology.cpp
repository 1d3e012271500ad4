#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/record/summary.hpp"
#include "tools/fit_topology.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/table.hpp"
#include "tools/terminal/written_file.hpp"
#include "topology/diameter.hpp"
#include "topology/drawing.hpp"
#include "topology/families.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/interchange.hpp"
#include "topology/participation.hpp"
#include "topology/schedule.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

struct TopologyOptions {
  std::string spec;  ///< "ring(16)", or a topology file; may be empty if there are links to fit to
  FitOptions fit;
  std::string weights;
  std::string schedule;
  double participation = 1.0;
  GraphMending mending;  ///< of a topology file
  std::uint64_t seed = 1;
  std::vector<fs::path> write;
  bool overwrite = false;
  bool json = false;
};

constexpr PeerId most_printed_rows = 16;
/// Rounds that are looked at if each is drawn anew.
constexpr std::uint64_t first_rounds = 64;
/// The first line of XML as to_graphml writes it.
const std::string xml_declaration = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n";

bool names_a_file(const std::string& spec) {
  std::error_code ignored;  // if the path cannot be looked at, the text counts as a spelling
  return has_ending_of_topology(spec) || fs::is_regular_file(spec, ignored);
}

/// Misuse if an option that mends a file is given beside the name of a family.
void require_nothing_to_mend(const TopologyOptions& options) {
  const GraphMending& mending = options.mending;
  for (const auto& [option, is_on] :
       {std::pair("--undirected", mending.undirected), std::pair("--merge-links", mending.merge_links),
        std::pair("--largest-component", mending.largest_component),
        std::pair("--network-from", mending.network_from_geo)})
    if (is_on)
      throw Misuse(std::string(option) + " is for a topology file, and " + options.spec + " is none");
}

NamedTopology cluster_of(const TopologyOptions& options) {
  const std::string weights = options.weights.empty() ? "metropolis" : options.weights;
  if (names_a_file(options.spec))
    return load_topology_file(options.spec, options.seed, weights, options.mending);
  require_nothing_to_mend(options);
  const TopologySpec spec = parse_topology_spec(options.spec);
  TopologySettings topology;
  topology.kind = spec.spelling;
  topology.peers = spec.peers;
  topology.weights = weights;
  return make_named_topology(topology, options.seed);
}

std::string spectrum_words(SpectrumMethod how) {
  switch (how) {
    case SpectrumMethod::closed_form:
      return "closed form";
    case SpectrumMethod::dense:
      return "dense eigenvalues";
    case SpectrumMethod::lanczos:
      return "Lanczos";
    case SpectrumMethod::shift_invert:
      return "Lanczos on the shifted inverse";
  }
  return "";
}

/// Returns how many rounds of plain gossip bring the consensus distance below a thousandth of its start.
std::string agreement_text(double rho) {
  if (rho >= 1.0) return "never agrees";
  const double rounds = rho <= 1e-12 ? 1.0 : std::max(1.0, std::ceil(std::log(1e-3) / std::log(rho)));
  return counted(static_cast<std::uint64_t>(rounds), "round") + " to a thousandth of any disagreement";
}

/// Returns an eigenvalue with nine digits, which tell 1 - 1e-8 from 1. A rounding error around 0 becomes "0".
std::string eigenvalue_text(double value) { return std::abs(value) < 1e-12 ? "0" : significant(value, 9); }

/// What rounding leaves of the self weight of a peer with many links, and so of every eigenvalue.
constexpr double rounding_of_eigenvalues = 1e-12;

/// True if rounding makes more than a thousandth of the gap.
bool has_rough_gap(const Spectrum& found) {
  return found.how != SpectrumMethod::closed_form && found.spectral_gap < 1e3 * rounding_of_eigenvalues;
}

/// Returns what the spectral gap is, or the number of rounds that follows from it: "about ", or a bound.
std::string closeness_words(const Spectrum& found, const std::string& bound) {
  if (has_rough_gap(found)) return "about ";
  return found.error > 0.0 ? bound + " " : "";
}

/// Returns the spectral gap and the eigenvalues that it follows from, and whether they are bounds.
std::string spectrum_text(const Spectrum& found) {
  const bool is_bound = found.error > 0.0;
  return closeness_words(found, "at most") + significant(found.spectral_gap, 6) + "   lambda_2" +
         (is_bound ? " >= " : " = ") + eigenvalue_text(found.second) + ", lambda_n" +
         (is_bound ? " <= " : " = ") + eigenvalue_text(found.smallest) + " (" + spectrum_words(found.how) +
         (is_bound ? ", bounds: not converged, by about " + significant(found.error, 2) : "") + ")";
}

std::string diameter_text(const Diameter& diameter) {
  if (diameter.is_exact()) return std::to_string(diameter.most);
  return "from " + std::to_string(diameter.least) + " to " + std::to_string(diameter.most) + " (bounds)";
}

nlohmann::ordered_json diameter_as_json(const Diameter& diameter) {
  if (diameter.is_exact()) return diameter.most;
  return {{"at_least", diameter.least}, {"at_most", diameter.most}};
}

/// Returns how far the optimized weights are from the least possible rho, and the proof of it.
std::string optimality_text(double rho, double least_rho) {
  if (rho == least_rho) return "rho = " + significant(rho, 9) + ", the least there is (by symmetry)";
  return "rho = " + significant(rho, 9) + ", at most " + significant(std::max(0.0, rho - least_rho), 2) +
         " above the least there is (dual certificate)";
}

std::vector<std::string> names_of(const NamedTopology& topology) {
  std::vector<std::string> names;
  for (const NamedPeer& peer : topology.peers) names.push_back(peer.name);
  return names;
}

/// Returns the links with a weight; optimized weights may leave some links unused.
Graph links_in_use(const NamedTopology& topology) {
  std::vector<Edge> edges;
  for (const Edge& edge : topology.graph.edges())
    if (std::ranges::binary_search(topology.mixing.row(edge.a).heard_by, edge.b)) edges.push_back(edge);
  return Graph(topology.graph.peer_count(), std::move(edges));
}

/// Returns what every file that `hearsay topology` writes begins with, so that it knows its own
/// again. Nothing if it writes no files with this ending.
std::optional<std::string> mark_of(const std::string& ending) {
  const std::string words = "Written by `hearsay topology`.";
  if (ending == ".toml") return "# " + words + "\n";
  if (ending == ".graphml") return xml_declaration + "<!-- " + words + " -->\n";
  if (ending == ".dot" || ending == ".gv") return "// " + words + "\n";
  if (ending == ".svg") return "<!-- " + words + " -->\n";
  return std::nullopt;
}

const std::string what_is_written = "topology";

/// Throws Misuse if no topology can be written to `file`, or none may be.
void require_writable(const fs::path& file, bool overwrite) {
  const std::optional<std::string> mark = mark_of(file.extension().string());
  if (!mark)
    throw Misuse("--write", file.string(), "expected a name that ends in .toml, .graphml, .dot, .gv or .svg");
  require_replaceable("--write", file, *mark, what_is_written, overwrite);
}

/// Throws Misuse if the kind of the file cannot hold this topology.
void require_suits(const fs::path& file, const NamedTopology& topology) {
  if (!topology.mixing.mutual() && file.extension() != ".toml")
    throw Misuse("--write", file.string(),
                 "drawings have links both ways only; expected a name that ends in .toml");
}

std::string text_for(const std::string& ending, const NamedTopology& topology) {
  if (ending == ".toml") return to_toml(topology);
  if (ending == ".svg") return to_svg(topology.graph, names_of(topology));
  AnnotatedGraph drawn = annotated(links_in_use(topology), &topology.mixing, names_of(topology));
  const AnnotatedGraph whole = annotated(topology);
  drawn.peers = whole.peers;
  for (std::size_t k = 0, in_whole = 0; k < drawn.links.size(); ++k, ++in_whole) {
    while (whole.graph.edges()[in_whole] != drawn.graph.edges()[k]) ++in_whole;
    drawn.links[k].latency = whole.links[in_whole].latency;
    drawn.links[k].bandwidth = whole.links[in_whole].bandwidth;
  }
  return ending == ".graphml" ? to_graphml(drawn).substr(xml_declaration.size()) : to_dot(drawn);
}

void write_topology(const NamedTopology& topology, const fs::path& file, bool overwrite) {
  const std::string ending = file.extension().string();
  write_replaceable("--write", file, *mark_of(ending), what_is_written, overwrite,
                    text_for(ending, topology));
}

std::string mixing_table(const NamedTopology& topology) {
  using enum Table::Align;
  const PeerId n = topology.graph.peer_count();
  std::vector<Table::Column> columns = {{"w_ij", left}};
  for (const NamedPeer& peer : topology.peers) columns.push_back({peer.name, right});
  Table table(columns);
  for (PeerId i = 0; i < n; ++i) {
    const MixingRow& row = topology.mixing.row(i);
    std::vector<std::string> cells(n, ".");
    cells[i] = fixed(row.self_weight, 4);
    for (const WeightedNeighbor& neighbor : row.hears) cells[neighbor.id] = fixed(neighbor.weight, 4);
    cells.insert(cells.begin(), topology.peers[i].name);
    table.add(std::move(cells));
  }
  return table.text(2);
}

/// All that `hearsay topology` prints about a topology.
struct Report {
  std::string title;
  const TopologyOptions& options;
  const NamedTopology& topology;
  std::optional<Spectrum> spectrum;  ///< empty if W does not average
  Diameter diameter;
  const Schedule* schedule;  ///< null if no schedule was asked for
  std::uint64_t rounds;      ///< of `contraction`: a period, or the first rounds of a schedule that has none
  std::optional<double> contraction;

  double mean_degree() const {
    return 2.0 * static_cast<double>(topology.graph.edges().size()) / topology.graph.peer_count();
  }
};

nlohmann::ordered_json report_as_json(const Report& report) {
  const NamedTopology& topology = report.topology;
  nlohmann::ordered_json record = {{"topology", report.title},
                                   {"peers", topology.graph.peer_count()},
                                   {"links", topology.graph.edges().size()},
                                   {"degree",
                                    {{"min", topology.graph.min_degree()},
                                     {"mean", report.mean_degree()},
                                     {"max", topology.graph.max_degree()}}},
                                   {"diameter", diameter_as_json(report.diameter)},
                                   {"connected", true},
                                   {"weights", topology.weights},
                                   {"symmetric", topology.mixing.symmetric()},
                                   {"non_negative", topology.mixing.non_negative()}};
  if (report.spectrum) {
    record["spectral_gap"] = report.spectrum->spectral_gap;
    record["rho"] = report.spectrum->rho;
    record["lambda_2"] = report.spectrum->second;
    record["lambda_n"] = report.spectrum->smallest;
    record["computed_by"] = spectrum_words(report.spectrum->how);
    if (report.spectrum->error > 0.0 || has_rough_gap(*report.spectrum))
      record["eigenvalue_error"] = std::max(report.spectrum->error, rounding_of_eigenvalues);
  } else {
    record["spectral_gap"] = nullptr;
  }
  if (!topology.notices.empty()) record["notices"] = topology.notices;
  if (topology.mixing.least_rho()) record["least_rho"] = *topology.mixing.least_rho();
  if (report.schedule) {
    const auto or_null = [](const auto& value) {
      return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
    };
    record["schedule"] = {{"kind", report.schedule->name()}, {"period", or_null(report.schedule->period())}};
    if (!report.schedule->period()) record["schedule"]["first_rounds"] = report.rounds;
    record["schedule"][report.schedule->period() ? "contraction_per_period" : "contraction_in_first_rounds"] =
        or_null(report.contraction);
  }
  return record;
}

/// Returns the fitted graph and the families beside it, as forecast.
nlohmann::ordered_json forecasts_as_json(const FittedTopology& fitted) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const auto add = [&](const GossipPlan& plan) {
    list.push_back({{"graph", plan.name},
                    {"weights", plan.weights},
                    {"links", plan.mixing.link_count() / 2},
                    {"seconds_per_round", plan.forecast.seconds_per_round},
                    {"rounds_to_a_tenth", plan.forecast.rounds},
                    {"seconds_to_a_tenth", plan.forecast.seconds()}});
  };
  add(fitted.plan);
  std::ranges::for_each(fitted.families, add);
  return list;
}

std::string report_as_text(const Report& report) {
  using enum Table::Align;
  const NamedTopology& topology = report.topology;
  const Graph& graph = topology.graph;
  const bool regular = graph.min_degree() == graph.max_degree();
  Table table({{"", left}, {"", left}});
  table.add({"topology", report.title});
  for (const std::string& notice : topology.notices) table.add({"notice", notice});
  table.add({"peers", grouped(graph.peer_count())});
  // These figures ignore the direction of links.
  const std::string aside = topology.mixing.mutual() ? "" : ", directions aside";
  table.add({"links", grouped(graph.edges().size()) + (aside.empty() ? "" : ", some of them one way")});
  table.add(
      {"degree", (regular ? std::to_string(graph.min_degree()) + " at every peer"
                          : std::to_string(graph.min_degree()) + " to " + std::to_string(graph.max_degree()) +
                                ", mean " + fixed(report.mean_degree(), 2)) +
                     aside});
  table.add({"diameter", diameter_text(report.diameter) + aside});
  table.add({"connected", "yes"});
  const std::size_t unused =
      topology.mixing.mutual() ? graph.edges().size() - topology.mixing.link_count() / 2 : 0;
  table.add({"weights", topology.weights + (topology.mixing.non_negative() ? "" : ", some negative") +
                            (topology.mixing.symmetric() ? "" : ", not symmetric") +
                            (unused == 0 ? "" : ", " + counted(unused, "link") + " better not used")});
  if (report.spectrum) {
    table.add({"spectral gap", spectrum_text(*report.spectrum)});
    if (topology.mixing.least_rho())
      table.add({"optimality", optimality_text(report.spectrum->rho, *topology.mixing.least_rho())});
    table.add(
        {"gossip", closeness_words(*report.spectrum, "at least") + agreement_text(report.spectrum->rho)});
  } else {
    table.add({"gossip", "push-sum only: averages along these links favor some peers"});
  }
  if (report.schedule) {
    const std::optional<std::uint64_t> period = report.schedule->period();
    table.add({"schedule", report.schedule->name() +
                               (period ? ", period " + grouped(*period) : ", drawn anew for every round")});
    table.add({"contraction", !report.contraction
                                  ? "not computed for more than " + grouped(contraction_peers) + " peers"
                              : *report.contraction < 1e-12 ? "a period averages exactly"
                              : period ? significant(*report.contraction) + " per period at most"
                                       : significant(*report.contraction) + " at most in the first " +
                                             grouped(report.rounds) + " rounds"});
  }
  std::string text = table.text();
  if (graph.peer_count() <= most_printed_rows) text += "\nmixing matrix\n" + mixing_table(topology);
  return text;
}

/// Fits a topology to the network of a links file. The options with which others are made do not go with it.
FittedTopology fitted(const TopologyOptions& options) {
  FitOptions fit = options.fit;
  fit.seed = options.seed;
  if (!options.spec.empty() && !names_a_file(options.spec))
    throw Misuse("SPEC", options.spec, "expected a topology file whose peers --fit links, or none");
  fit.peers = options.spec;
  fit.weights = options.weights;
  require_nothing_to_mend(options);
  return fitted_topology(fit);
}

/// Calls `action`; a Misuse that names a key of a run file then names the option that has set it.
template <class Action>
auto naming_options(const Action& action) {
  try {
    return action();
  } catch (const Misuse& misuse) {
    const std::string sentence = misuse.what();
    for (const std::string name : {"weights", "schedule"})
      if (const std::string key = "topology." + name; sentence.starts_with(key + " = "))
        throw Misuse("--" + name + sentence.substr(key.size()));
    throw;
  }
}

int topology_command(const TopologyOptions& options) {
  if (options.spec.empty() && options.fit.links.empty())
    throw Misuse(
        "SPEC is missing: expected a topology such as \"ring(16)\", a topology file, or --fit LINKS");
  if (options.overwrite && options.write.empty())
    throw Misuse("--overwrite replaces the files of --write; expected --write, or no --overwrite");
  // The search for a graph may take minutes; whether its result can be kept is known before.
  for (const fs::path& file : options.write) require_writable(file, options.overwrite);
  const std::optional<FittedTopology> fit =
      options.fit.links.empty() ? std::nullopt : std::optional(fitted(options));
  const NamedTopology topology = fit ? fit->topology : cluster_of(options);
  for (const fs::path& file : options.write) require_suits(file, topology);
  std::unique_ptr<Schedule> schedule;
  if (!options.schedule.empty() || options.participation != 1.0)
    schedule = with_participation(make_schedule(options.schedule.empty() ? "static" : options.schedule,
                                                topology.graph, topology.mixing, options.seed),
                                  options.participation, options.seed);
  const bool averages = topology.mixing.doubly_stochastic();
  const std::uint64_t rounds = schedule ? schedule->period().value_or(first_rounds) : 0;
  const Report report{fit ? options.fit.links.string() + ", fitted" : options.spec,
                      options,
                      topology,
                      averages ? std::optional(spectrum(topology.mixing)) : std::nullopt,
                      bounded_diameter(topology.graph),
                      schedule.get(),
                      rounds,
                      schedule && averages ? contraction(*schedule, rounds) : std::nullopt};
  if (options.json) {
    nlohmann::ordered_json record = report_as_json(report);
    if (fit) record["forecasts"] = forecasts_as_json(*fit);
    std::printf("%s\n", json_text(record).c_str());
  } else {
    if (fit) std::printf("%s\n", comparison_text(*fit).c_str());
    std::fputs(report_as_text(report).c_str(), stdout);
  }
  // Last, so that a disk that is full costs no more than the files.
  for (const fs::path& file : options.write) {
    write_topology(topology, file, options.overwrite);
    if (!options.json) std::printf("written   %s\n", file.c_str());
  }
  return exit_done;
}

}  // namespace

void add_topology(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command(
      "topology",
      "degrees, diameter, weights and spectral gap of a topology; writes it as TOML, GraphML, DOT or SVG");
  const auto options = std::make_shared<TopologyOptions>();
  command.optional_argument(
      "SPEC", &options->spec,
      "such as \"ring(16)\" or \"torus(4x4)\", or a topology file; with --fit: the file "
      "whose peers are linked, or none");
  command.option("--fit", &options->fit.links,
                 "search the graph on which gossip agrees soonest on the network of this links file, and "
                 "compare it with ring, torus, exponential and complete graph",
                 {.value_name = "LINKS"});
  command.option("--degree", &options->fit.degree, "the most links of a peer (3)", {.needs = "--fit"});
  command.option("--message", &options->fit.message, "the size of a message (1 MB)",
                 {.value_name = "SIZE", .needs = "--fit"});
  command.option("--weights", &options->weights, "mixing weights (metropolis)");
  command.option("--schedule", &options->schedule, "also look at a time-varying schedule");
  command.option("--participation",
                 [&share = options->participation](const std::string& text) {
                   share = parse_share("--participation", text);
                 },
                 "the share of the peers that takes part in a round of the schedule (1)",
                 {.value_name = "SHARE"});
  command.option("--seed", &options->seed, "the seed of random topologies (1)");
  GraphMending& mending = options->mending;
  command.flag("--undirected", mending.undirected, "of a file: every arc is a link that goes both ways");
  command.flag("--merge-links", mending.merge_links,
               "of a file: parallel links are one with their bandwidth");
  command.flag("--largest-component", mending.largest_component,
               "of a file: leave out the peers that are cut off from most others");
  command.option("--network-from",
                 [&mending](const std::string& text) {
                   if (text != "geo") throw Misuse("--network-from", text, "expected geo");
                   mending.network_from_geo = true;
                 },
                 "of a file: geo: latency by Latitude and Longitude of the peers, bandwidth by LinkSpeedRaw",
                 {.value_name = "geo"});
  command.option("--write", &options->write,
                 "write the topology to FILE, by its ending: .toml .graphml .dot .svg; may be repeated",
                 {.value_name = "FILE"});
  command.flag("--overwrite", options->overwrite, "replace files that an earlier --write has written");
  command.flag("--json", options->json, "print the record as JSON");
  command.examples({"hearsay topology drawn.graphml --largest-component --write new.toml",
                    "hearsay topology \"torus(4x4)\"",
                    "hearsay topology --fit links.toml --degree 3 --message \"1 MB\" --write fitted.toml",
                    "hearsay topology \"ring(8)\" --write ring.svg"});
  command.when_chosen([options, &invocation] {
    invocation.run = [options] { return naming_options([&] { return topology_command(*options); }); };
  });
}

}  // namespace hearsay

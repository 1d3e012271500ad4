#include "tools/check/check_connections.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "runtime/record/or_null.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/zmq/connection_check.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/table.hpp"
#include "tools/terminal/version.hpp"
#include "tools/training/peer_training.hpp"
#include "tools/training/scalar_dispatch.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

std::string yes_or_no(const std::optional<bool>& works) { return !works ? "-" : *works ? "ok" : "NO"; }

/// Returns the median of ascending times; the later of the two middle ones if their number is even.
Duration median(const std::vector<Duration>& ascending) { return ascending[ascending.size() / 2]; }

std::string round_trip_text(const std::vector<Duration>& ascending) {
  if (ascending.empty()) return "-";
  return seconds_text(seconds(ascending.front())) + ", " + seconds_text(seconds(median(ascending)));
}

std::string edges_as_text(const std::vector<CheckedEdge>& edges) {
  Table table({{"neighbor"}, {"address"}, {"out"}, {"in"}, {"round trip (min, median)"}, {"what is wrong"}});
  for (const CheckedEdge& edge : edges)
    table.add({edge.who, edge.address, yes_or_no(edge.out), yes_or_no(edge.in),
               round_trip_text(edge.round_trips), edge.wrong});
  return table.text();
}

Json edges_as_json(PeerId id, const std::vector<CheckedEdge>& edges) {
  Json list = Json::array();
  for (const CheckedEdge& edge : edges) {
    Json record = {
        {"neighbor", edge.who},          {"address", edge.address},
        {"out", or_null(edge.out)},      {"in", or_null(edge.in)},
        {"round_trip_seconds", nullptr}, {"wrong", edge.wrong.empty() ? Json(nullptr) : Json(edge.wrong)}};
    if (!edge.round_trips.empty())
      record["round_trip_seconds"] = {{"min", seconds(edge.round_trips.front())},
                                      {"median", seconds(median(edge.round_trips))}};
    list.push_back(std::move(record));
  }
  return {{"peer", id}, {"works", std::ranges::all_of(edges, &CheckedEdge::works)}, {"edges", list}};
}

}  // namespace

int print_connections(PeerId id, const std::vector<CheckedEdge>& edges, const CheckOptions& options) {
  const auto broken = std::ranges::count_if(edges, [](const CheckedEdge& edge) { return !edge.works(); });
  if (options.json)
    std::printf("%s\n", json_text(edges_as_json(id, edges)).c_str());
  else if (!options.quiet || broken > 0)
    std::fputs(edges_as_text(edges).c_str(), stdout);
  if (broken == 0) return exit_done;
  std::fprintf(stderr, "hearsay: peer %u: %s of %zu %s not work\n", id,
               broken == 1 ? "1 connection" : (std::to_string(broken) + " connections").c_str(), edges.size(),
               broken == 1 ? "does" : "do");
  return exit_misuse;
}

int check_connections_command(const CheckOptions& options) {
  const Duration patience = parse_duration("--wait", options.patience);
  const RunSettings settings = load_run_file(options.file, options.assignments);
  require_tcp(settings, "hearsay check --connect");
  const Placement place = placement_of(settings, options.id);
  const PeerId id = *place.id;
  const std::vector<CheckedEdge> edges = with_scalar(settings.run.scalar, [&]<class Scalar>() {
    Experiment<Scalar> experiment = prepare<Scalar>(settings, {.peer = id, .addresses = place.addresses});
    experiment.build = version_text();
    if (const auto warning = plain_text_warning(settings.security, experiment.topology))
      print_notice("warning: " + *warning);
    const auto say = [&] {
      if (!options.quiet)
        print_notice("peer " + std::to_string(id) + " of " + std::to_string(experiment.peer_count()) +
                     ", testing its connections");
    };
    return check_connections(experiment, id, place, patience, say, print_notice);
  });
  return print_connections(id, edges, options);
}

}  // namespace hearsay

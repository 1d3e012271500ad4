#include "tests/house/rooms.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace hearsay {

namespace {

/// For each layer with rooms: the layers that all its rooms may include.
const std::map<std::string, std::set<std::string>>& layers_below() {
  static const std::map<std::string, std::set<std::string>> below = {
      {"topology", {}},
      {"algorithms", {}},
      {"runtime", {"topology", "algorithms"}},
      {"tools", {"topology", "algorithms", "runtime"}}};
  return below;
}

/// For each layer without rooms: the layers that it may include.
const std::map<std::string, std::set<std::string>>& may_include() {
  static const std::map<std::string, std::set<std::string>> layers = {
      {"bench", {"topology", "algorithms", "runtime", "bench"}},
      {"tests", {"topology", "algorithms", "runtime", "tools", "bench", "tests"}}};
  return layers;
}

bool is_layer(const std::string& name) {
  return layers_below().contains(name) || may_include().contains(name);
}

const Room* find_room(const std::string& folder) {
  const auto found = std::ranges::find(rooms(), folder, &Room::folder);
  return found == rooms().end() ? nullptr : &*found;
}

bool may_know(const std::string& folder, const std::string& target) {
  if (const auto layer = may_include().find(layer_of(folder)); layer != may_include().end())
    return layer->second.contains(layer_of(target));
  if (layers_below().at(layer_of(folder)).contains(layer_of(target))) return true;
  const Room* room = find_room(folder);
  return target == folder || (room && std::ranges::find(room->may_know, target) != room->may_know.end());
}

}  // namespace

std::span<const Room> rooms() {
  static const std::vector<Room> all = [] {
    const auto in = [](const std::string& layer, std::vector<std::string> names) {
      for (std::string& name : names) name = layer + "/" + name;
      return names;
    };
    const auto plus = [](std::vector<std::string> some, const std::vector<std::string>& more) {
      some.insert(some.end(), more.begin(), more.end());
      return some;
    };
    const auto runtime = [&](std::vector<std::string> names) { return in("runtime", std::move(names)); };
    const auto tools = [&](std::vector<std::string> names) { return in("tools", std::move(names)); };

    const std::vector<std::string> graphs = {"topology/foundation", "topology"};
    const std::vector<std::string> numbers = plus(graphs, {"algorithms/arithmetic"});
    const std::vector<std::string> stage = plus(numbers, {"algorithms/compression/seam"});
    const auto stages = [&](const std::vector<std::string>& kinds) {
      return plus(stage, in("algorithms/compression", kinds));
    };
    const std::vector<std::string> models = plus(stage, {"algorithms/objectives"});
    const std::vector<std::string> method = plus(models, {"algorithms/seam"});
    return std::vector<Room>{
        {"topology/foundation", {}},
        {"topology", {"topology/foundation"}},

        {"algorithms/arithmetic", graphs},
        {"algorithms/compression/seam", numbers},
        {"algorithms/compression/selectors", stage},
        {"algorithms/compression/quantizers", stages({"selectors"})},
        {"algorithms/compression/coders", stages({"quantizers"})},
        {"algorithms/compression/transforms", stages({"selectors", "quantizers"})},
        {"algorithms/compression", stages({"selectors", "quantizers", "coders", "transforms"})},
        {"algorithms/objectives", numbers},
        {"algorithms/seam", models},
        {"algorithms/methods/parts", method},
        {"algorithms/methods", plus(method, {"algorithms/methods/parts"})},
        {"algorithms/stability",
         plus(method, {"algorithms/compression", "algorithms/methods/parts", "algorithms/methods"})},

        {"runtime/foundation", {}},
        {"runtime/toml", runtime({"foundation"})},
        {"runtime/wire", runtime({"foundation"})},
        {"runtime/transfer", runtime({"foundation", "wire"})},
        {"runtime/peer", runtime({"foundation"})},
        {"runtime/membership", runtime({"foundation"})},
        {"runtime/cluster", runtime({"foundation", "toml"})},
        {"runtime/session", runtime({"foundation", "wire", "peer"})},
        {"runtime/survey", runtime({"foundation", "wire", "cluster"})},
        {"runtime/settings", runtime({"foundation", "toml", "cluster"})},
        {"runtime/data", runtime({"foundation", "toml", "settings"})},
        {"runtime/program", runtime({"foundation", "toml", "settings", "wire"})},
        {"runtime/network", runtime({"foundation", "settings", "wire", "peer"})},
        {"runtime/security", runtime({"foundation", "toml", "cluster", "settings", "wire"})},
        {"runtime/rules", runtime({"foundation", "toml", "cluster", "settings", "wire", "network"})},
        {"runtime/experiment", runtime({"foundation", "toml", "cluster", "settings", "data", "program",
                                        "wire", "peer", "network", "rules"})},
        {"runtime/record", runtime({"foundation", "settings", "data", "peer", "experiment", "network"})},
        {"runtime/observer", runtime({"foundation", "settings", "wire", "session", "experiment", "record"})},
        {"runtime/checkpoint",
         runtime({"foundation", "settings", "wire", "peer", "session", "experiment", "record"})},
        {"runtime/participant", runtime({"foundation", "membership", "settings", "wire", "peer", "session",
                                         "experiment", "network", "record"})},
        {"runtime/supervision", runtime({"foundation", "settings", "observer", "participant"})},
        {"runtime/simulator",
         runtime({"foundation", "settings", "wire", "peer", "session", "rules", "experiment", "network",
                  "record", "observer", "checkpoint", "participant", "supervision"})},
        {"runtime/zmq", runtime({"foundation", "cluster", "survey", "settings", "wire", "transfer", "peer",
                                 "session", "experiment", "network", "record", "observer", "security"})},
        {"runtime/process",
         runtime({"foundation", "cluster", "settings", "data", "program", "wire", "transfer", "peer",
                  "session", "rules", "experiment", "network", "record", "observer", "checkpoint",
                  "participant", "supervision", "security", "zmq"})},
        {"runtime",
         runtime({"foundation", "toml",     "cluster",    "settings",    "data",        "wire",
                  "transfer",   "peer",     "session",    "rules",       "experiment",  "network",
                  "record",     "observer", "checkpoint", "participant", "supervision", "simulator",
                  "security",   "zmq",      "process",    "program"})},

        {"tools/examples/layer_parallel", {}},
        {"tools/child", {}},
        {"tools/terminal", {}},
        {"tools/statistics", {}},
        {"tools/report", tools({"terminal", "statistics"})},
        {"tools/export", tools({"terminal", "report"})},
        {"tools/metrics", tools({"terminal", "report"})},
        {"tools/training", tools({"terminal", "report", "metrics"})},
        {"tools/influence", tools({"terminal", "training"})},
        {"tools/check", tools({"terminal", "training"})},
        {"tools/sweep", tools({"child", "terminal", "statistics", "training", "report"})},
        {"tools/launch", tools({"child", "terminal", "training", "report"})},
        {"tools/advise", tools({"terminal", "training", "check"})},
        {"tools/manual", tools({"terminal"})},
        {"tools", tools({"terminal", "report", "export", "influence", "training", "check", "sweep", "launch",
                         "advise", "manual", "metrics"})},
    };
  }();
  return all;
}

Violations includes_follow_the_rooms(const SourceTree& tree) {
  Violations found;
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() || !is_layer(layer_of(file.path))) continue;
    const std::string folder = folder_of(file.path);
    for (std::size_t k = 0; k < file.code.size(); ++k) {
      const std::string included = included_by(file.code[k]);
      if (included.empty()) continue;
      const bool is_quoted = included.starts_with('"');
      const std::string target = folder_of(included.substr(1));
      if (!is_quoted && !included.starts_with('<'))
        found.push_back(at(file, k, included + ": an include names its file"));
      else if (!is_quoted && is_layer(layer_of(target)))
        found.push_back(at(file, k, included + ": headers of the project stand in quotes"));
      else if (!is_quoted)
        continue;
      else if (!is_layer(layer_of(target)) || included.find("/.") != included.npos)
        found.push_back(at(file, k, included + ": headers are included from the root"));
      else if (!may_know(folder, target))
        found.push_back(at(file, k, included + ": " + folder + " may not know " + target));
    }
  }
  return found;
}

Violations every_room_has_a_readme(const SourceTree& tree) {
  std::set<std::string> known;
  for (const SourceFile& file : tree.files) known.insert(file.path);
  Violations found;
  std::set<std::string> seen;
  for (const SourceFile& file : tree.files) {
    const std::string folder = folder_of(file.path);
    if (!file.is_cpp() || !layers_below().contains(layer_of(file.path)) || !seen.insert(folder).second)
      continue;
    if (!find_room(folder))
      found.push_back(file.path + ":1: " + folder + " is no room of tests/house/rooms.cpp");
    else if (!known.contains(folder + "/README.md"))
      found.push_back(folder + "/README.md:1: is missing");
  }
  return found;
}

}  // namespace hearsay

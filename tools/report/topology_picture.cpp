#include "tools/report/topology_picture.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/experiment/run_topology.hpp"
#include "tools/report/course.hpp"
#include "topology/diameter.hpp"
#include "topology/drawing.hpp"
#include "topology/families.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

constexpr PeerId most_drawn_peers = 400;
constexpr PeerId most_labeled_peers = 24;  // a page shows the picture small

std::string topology_title(const TopologySettings& topology) {
  const std::string what = topology.file.empty() ? topology.kind : topology.file.filename().string();
  return what + (topology.schedule == "static" ? "" : ", " + topology.schedule);
}

/// Returns the picture of a star with its hub, peer 0, larger than a worker, in another color, with its name.
std::string with_hub(std::string svg) {
  const std::string circle = "<circle cx=\"";  // the first one is that of peer 0
  const auto x = svg.find(circle) + circle.size();
  const auto y = svg.find("\" cy=\"", x);
  const auto end = svg.find("\" r=", y);
  ensure(end != svg.npos, "the first circle of a picture is that of peer 0");
  const std::string at_x = svg.substr(x, y - x);
  const std::string at_y = svg.substr(y + 6, end - y - 6);
  svg.insert(svg.rfind("</svg>"),
             circle + at_x + "\" cy=\"" + at_y + "\" r=\"17\" fill=\"#b3471d\" stroke=\"white\"/>\n" +
                 "<text x=\"" + at_x + "\" y=\"" + at_y +
                 "\" dy=\"4\" fill=\"white\" font-family=\"sans-serif\" font-size=\"12\" "
                 "font-weight=\"bold\" text-anchor=\"middle\">hub</text>\n");
  return svg;
}

/// Returns who is the hub, and whether it works, too, in the words of `hearsay check`; null without a hub.
nlohmann::ordered_json hub_of(const RunSettings& settings) {
  if (!find_method(settings.algorithm.kind).pattern.has_hub) return nullptr;
  return settings.topology.hub == HubData::none ? "peer 0, without data" : "peer 0, a worker, too";
}

struct Picture {
  nlohmann::ordered_json json;
  bool depends_on_seed = false;
};

Picture picture_of(const RunSettings& settings) {
  Picture made{{{"title", topology_title(settings.topology)}}};
  nlohmann::ordered_json& picture = made.json;
  try {
    if (settings.topology.file.empty()) made.depends_on_seed = is_random_family(settings.topology.kind);
    const NamedTopology topology = make_named_topology(settings.topology, settings.run.seed);
    made.depends_on_seed = !topology.family.empty() && is_random_family(topology.family);
    const Graph& graph = topology.graph;
    picture["peers"] = graph.peer_count();
    picture["links"] = graph.edges().size();
    picture["degree"] = {graph.min_degree(), graph.max_degree()};
    const Diameter bounds = bounded_diameter(graph);
    picture["diameter"] = bounds.is_exact() ? nlohmann::ordered_json(bounds.most) : nullptr;
    picture["hub"] = hub_of(settings);
    // A hub adds up what its workers say, and reads no weights.
    if (picture["hub"].is_null()) picture["weights"] = topology.weights;
    picture["svg"] = nullptr;
    if (graph.peer_count() > most_drawn_peers) {
      picture["why"] = "More than " + std::to_string(most_drawn_peers) + " peers are not drawn.";
      return made;
    }
    std::vector<std::string> names;
    for (const NamedPeer& peer : topology.peers) names.push_back(peer.name);
    const std::string svg = to_svg(graph, names, most_labeled_peers);
    picture["svg"] = picture["hub"].is_null() ? svg : with_hub(svg);
  } catch (const Misuse& misuse) {
    picture["why"] = misuse.what();
  }
  return made;
}

}  // namespace

std::size_t TopologyPictures::add(const RunSettings& settings, nlohmann::ordered_json& pictures) {
  const bool has_hub = find_method(settings.algorithm.kind).pattern.has_hub;
  for (const std::optional<std::uint64_t> seed :
       {std::optional<std::uint64_t>(), std::optional(settings.run.seed)})
    for (const Drawn& drawn : drawn_[seed])
      if (drawn.topology == settings.topology && drawn.has_hub == has_hub) return drawn.place;
  Picture picture = picture_of(settings);
  const std::size_t place = pictures.size();
  pictures.push_back(std::move(picture.json));
  drawn_[picture.depends_on_seed ? std::optional(settings.run.seed) : std::nullopt].push_back(
      {settings.topology, has_hub, place});
  return place;
}

nlohmann::ordered_json own_spectral_gap(const RunSettings& settings) {
  try {
    const auto gap = spectral_gap_of(settings, make_named_topology(settings.topology, settings.run.seed));
    return gap ? short_number(*gap) : nlohmann::ordered_json(nullptr);
  } catch (const Misuse&) {  // the topology cannot be made any more
    return nullptr;
  }
}

}  // namespace hearsay

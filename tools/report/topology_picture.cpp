#include "tools/report/topology_picture.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/experiment/spectral_gap.hpp"
#include "tools/report/course.hpp"
#include "topology/drawing.hpp"
#include "topology/families.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr PeerId most_drawn_peers = 400;
constexpr PeerId most_labeled_peers = 24;  // a page shows the picture small

std::string title_of(const TopologySettings& topology) {
  const std::string what = topology.file.empty() ? topology.kind : topology.file.filename().string();
  return what + (topology.schedule == "static" ? "" : ", " + topology.schedule);
}

struct Picture {
  nlohmann::ordered_json json;
  bool depends_on_seed = false;
};

Picture picture_of(const RunSettings& settings) {
  Picture made{{{"title", title_of(settings.topology)}}};
  nlohmann::ordered_json& picture = made.json;
  try {
    if (settings.topology.file.empty()) made.depends_on_seed = is_random_family(settings.topology.kind);
    const NamedTopology topology = make_named_topology(settings.topology, settings.run.seed);
    made.depends_on_seed = !topology.family.empty() && is_random_family(topology.family);
    const Graph& graph = topology.graph;
    picture["peers"] = graph.peer_count();
    picture["links"] = graph.edges().size();
    picture["degree"] = {graph.min_degree(), graph.max_degree()};
    picture["diameter"] = diameter(graph);
    picture["weights"] = topology.weights;
    picture["svg"] = nullptr;
    if (graph.peer_count() > most_drawn_peers) {
      picture["why"] = "More than " + std::to_string(most_drawn_peers) + " peers are not drawn.";
      return made;
    }
    std::vector<std::string> names;
    for (const NamedPeer& peer : topology.peers) names.push_back(peer.name);
    picture["svg"] = to_svg(graph, names, most_labeled_peers);
  } catch (const Misuse& misuse) {
    picture["why"] = misuse.what();
  }
  return made;
}

}  // namespace

std::size_t TopologyPictures::add(const RunSettings& settings, nlohmann::ordered_json& pictures) {
  for (const std::optional<std::uint64_t> seed :
       {std::optional<std::uint64_t>(), std::optional(settings.run.seed)})
    for (const Drawn& drawn : drawn_[seed])
      if (drawn.topology == settings.topology) return drawn.place;
  Picture picture = picture_of(settings);
  const std::size_t place = pictures.size();
  pictures.push_back(std::move(picture.json));
  drawn_[picture.depends_on_seed ? std::optional(settings.run.seed) : std::nullopt].push_back(
      {settings.topology, place});
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

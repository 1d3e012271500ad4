#include "topology/families.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "topology/base_rounds.hpp"
#include "topology/fixed_graphs.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/random_graphs.hpp"

namespace hearsay {
namespace {

const std::string kind_key = "topology.kind";
const std::string peers_key = "topology.peers";

/// More links than this (a complete graph of 11,000 peers) take gigabytes.
constexpr double most_links = 6e7;

/// Reads the arguments of a family. Every error is a Misuse that says what the family expects.
class FamilyReader {
 public:
  FamilyReader(const Choice& family, const Spelling& spelling, const std::string& text)
      : family_(family), spelling_(spelling), text_(text) {
    const std::size_t expected =
        family.arguments.empty() ? 0 : 1 + std::count(family.arguments.begin(), family.arguments.end(), ',');
    if (spelling.arguments.size() != expected) throw wrong();
  }

  PeerId whole(std::size_t position, PeerId least = 0) const {
    std::uint64_t value = 0;
    if (!parse_whole(spelling_.arguments[position], value) || value < least ||
        value > std::numeric_limits<PeerId>::max())
      throw wrong();
    return static_cast<PeerId>(value);
  }

  double number(std::size_t position) const {
    double value = 0.0;
    if (!parse_number(spelling_.arguments[position], value)) throw wrong();
    return value;
  }

  GridSize size() const {
    const std::string& argument = spelling_.arguments[0];
    const auto cross = argument.find('x');
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    if (cross == std::string::npos || !parse_whole(std::string_view(argument).substr(0, cross), rows) ||
        !parse_whole(std::string_view(argument).substr(cross + 1), columns))
      throw wrong();
    constexpr std::uint64_t most = std::numeric_limits<PeerId>::max();
    if (rows == 0 || columns == 0) throw wrong();
    if (rows > most / columns)
      throw Misuse(kind_key, text_, "expected at most " + std::to_string(most) + " peers");
    return {static_cast<PeerId>(rows), static_cast<PeerId>(columns)};
  }

 private:
  Misuse wrong() const {
    return Misuse(kind_key, text_,
                  "expected " + family_.name + family_.arguments + ", " + family_.description);
  }

  const Choice& family_;
  const Spelling& spelling_;
  const std::string& text_;
};

void require_links_fit(PeerId peers, double links) {
  if (links > most_links)
    throw Misuse(
        peers_key, std::to_string(peers),
        "this family would have " + number_text(std::ceil(links)) +
            " links, and a graph may have 60 million; expected fewer peers, or a family of fewer links");
}

void require_size(const std::string& spelling, const std::string& name, GridSize size, PeerId peers) {
  const std::uint64_t needed = std::uint64_t{size.rows} * size.columns;
  if (needed == peers) return;
  throw Misuse(peers_key, std::to_string(peers),
               spelling + " needs " + std::to_string(needed) + " peers; " + std::to_string(peers) + " fit " +
                   name + "(" + size_text(squarest(peers)) + ")");
}

bool takes_size(const Choice& family) { return family.arguments == "(AxB)"; }

unsigned hypercube_dimensions(PeerId peers) {
  if (!std::has_single_bit(peers))
    throw Misuse(peers_key, std::to_string(peers),
                 "a hypercube needs a power of two, such as " + std::to_string(std::bit_floor(peers)) +
                     " or " + std::to_string(std::uint64_t{std::bit_floor(peers)} * 2));
  return static_cast<unsigned>(std::countr_zero(peers));
}

}  // namespace

std::span<const Choice> family_choices() {
  static const std::array<Choice, 14> choices{{
      {"ring", "", "each peer with the next, the last with the first"},
      {"path", "", "each peer with the next"},
      {"complete", "", "everyone with everyone"},
      {"star", "", "everyone with peer 0"},
      {"hub-tree", "(g)", "g peers with peer 0, and everyone else with one of these g, in turn"},
      {"torus", "(AxB)", "A rows and B columns that wrap around, up to four links each"},
      {"grid", "(AxB)", "A rows and B columns, up to four links each"},
      {"hypercube", "", "peers whose binary numbers differ in one digit; a power of two"},
      {"exponential", "", "peers 1, 2, 4, 8, ... apart on a ring"},
      {"base", "(b)", "the links of the schedule base(b), at most b - 1 per peer in each of its rounds"},
      {"random-regular", "(d)", "random links, d for each peer"},
      {"erdos-renyi", "(p)", "each pair is linked with probability p"},
      {"small-world", "(k, p)", "a ring of the k nearest, each link moved with probability p"},
      {"geometric", "(r)", "random points of the unit square, linked where at most r apart"},
  }};
  return choices;
}

GridSize squarest(PeerId peers) {
  PeerId rows = 1;
  for (PeerId factor = 1; std::uint64_t{factor} * factor <= peers; ++factor)
    if (peers % factor == 0) rows = factor;
  return {rows, peers / rows};
}

std::string size_text(GridSize size) {
  return std::to_string(size.rows) + "x" + std::to_string(size.columns);
}

void require_family(const std::string& text, PeerId peers) {
  const Spelling spelling = parse_spelling(kind_key, text);
  const std::string& name = spelling.name;
  const FamilyReader reader(find_choice(kind_key, name, family_choices()), spelling, text);
  if (peers == 0) throw Misuse(peers_key, "0", "expected at least one peer");
  const double n = peers;
  require_links_fit(peers, n);
  if (name == "hub-tree" && reader.whole(0, 1) >= peers)
    throw Misuse(kind_key, text,
                 "expected fewer groups than the " + std::to_string(peers) + " peers (topology.peers)");
  if (name == "complete") require_links_fit(peers, n * (n - 1) / 2);
  if (name == "torus" || name == "grid") require_size(text, name, reader.size(), peers);
  if (name == "hypercube") {
    require_links_fit(peers, n * std::bit_width(peers) / 2);
    hypercube_dimensions(peers);
  }
  if (name == "exponential") require_links_fit(peers, n * std::bit_width(peers));
  // A period has at most 2 log2 n + 2 rounds of at most n (base - 1) / 2 links.
  if (name == "base")
    require_links_fit(peers,
                      n * std::min(n, static_cast<double>(reader.whole(0, 2)) * (std::bit_width(peers) + 1)));
  if (name == "random-regular" || name == "small-world") require_links_fit(peers, n * reader.whole(0) / 2);
  if (name == "erdos-renyi") require_links_fit(peers, n * n / 2 * reader.number(0));
  if (name == "geometric")
    require_links_fit(peers, n * n / 2 * std::min(1.0, 3.2 * reader.number(0) * reader.number(0)));
}

Graph make_graph(const std::string& text, PeerId peers, std::uint64_t seed) {
  require_family(text, peers);
  const Spelling spelling = parse_spelling(kind_key, text);
  const std::string& name = spelling.name;
  const FamilyReader reader(find_choice(kind_key, name, family_choices()), spelling, text);
  if (name == "ring") return ring_graph(peers);
  if (name == "path") return path_graph(peers);
  if (name == "star") return star_graph(peers);
  if (name == "hub-tree") return hub_tree_graph(peers, reader.whole(0, 1));
  if (name == "complete") return complete_graph(peers);
  if (name == "torus") return torus_graph(reader.size().rows, reader.size().columns);
  if (name == "grid") return grid_graph(reader.size().rows, reader.size().columns);
  if (name == "hypercube") return hypercube_graph(hypercube_dimensions(peers));
  if (name == "exponential") return exponential_graph(peers);
  if (name == "base") return base_graph(peers, reader.whole(0, 2));
  if (name == "random-regular") return random_regular_graph(peers, reader.whole(0), seed);
  if (name == "erdos-renyi") return erdos_renyi_graph(peers, reader.number(0), seed);
  if (name == "small-world") return small_world_graph(peers, reader.whole(0), reader.number(1), seed);
  return geometric_graph(peers, reader.number(0), seed);
}

bool has_steady_degree(const std::string& text) {
  constexpr std::array<std::string_view, 8> steady{"ring", "path",           "star",        "hub-tree",
                                                   "grid", "random-regular", "small-world", "torus"};
  const Choice& family = find_choice(kind_key, parse_spelling(kind_key, text).name, family_choices());
  return std::ranges::find(steady, family.name) != steady.end();
}

bool is_random_family(const std::string& text) {
  const std::array<std::string_view, 4> random{"random-regular", "erdos-renyi", "small-world", "geometric"};
  return std::ranges::find(random, parse_spelling(kind_key, text).name) != random.end();
}

bool names_its_size(const std::string& text) {
  return takes_size(find_choice(kind_key, parse_spelling(kind_key, text).name, family_choices()));
}

TopologySpec parse_topology_spec(const std::string& spec) {
  const std::string key = "SPEC";
  Spelling spelling = parse_spelling(key, spec);
  const Choice& family = find_choice(key, spelling.name, family_choices());
  if (takes_size(family)) {
    const GridSize size = FamilyReader(family, spelling, spec).size();
    return {spec, size.rows * size.columns};
  }
  std::uint64_t peers = 0;
  const std::size_t least_arguments = family.arguments.empty() ? 1 : 2;
  if (spelling.arguments.size() < least_arguments || !parse_whole(spelling.arguments[0], peers) ||
      peers == 0 || peers > std::numeric_limits<PeerId>::max())
    throw Misuse(key, spec,
                 "the first argument is the number of peers, from 1 to " +
                     std::to_string(std::numeric_limits<PeerId>::max()) + ", as in " + family.name +
                     (family.arguments.empty() ? "(16)" : "(16, " + family.arguments.substr(1)));
  std::string own;
  for (std::size_t k = 1; k < spelling.arguments.size(); ++k)
    own += (k > 1 ? ", " : "") + spelling.arguments[k];
  return {own.empty() ? family.name : family.name + "(" + own + ")", static_cast<PeerId>(peers)};
}

}  // namespace hearsay

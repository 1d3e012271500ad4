#include "topology/schedule.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "topology/base_rounds.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/graph_random.hpp"
#include "topology/matchings.hpp"
#include "topology/random_order.hpp"

namespace hearsay {
namespace {

const std::string schedule_key = "topology.schedule";

/// Repeats the same rounds in the same order.
class Cycle : public Schedule {
 public:
  Cycle(std::string name, std::vector<MixingMatrix> rounds)
      : name_(std::move(name)), rounds_(std::move(rounds)) {
    ensure(!rounds_.empty(), "a schedule has at least one round");
  }
  PeerId peer_count() const override { return rounds_.front().peer_count(); }
  void write_row(PeerId peer, std::uint64_t round, MixingRow& row) const override {
    row = rounds_[round % rounds_.size()].row(peer);
  }
  std::optional<std::uint64_t> period() const override { return rounds_.size(); }
  std::string name() const override { return name_; }

 protected:
  std::string name_;
  std::vector<MixingMatrix> rounds_;
};

/// Repeats the same rounds, each time in another order.
class ShuffledCycle final : public Cycle {
 public:
  ShuffledCycle(std::string name, std::vector<MixingMatrix> rounds, std::uint64_t seed)
      : Cycle(std::move(name), std::move(rounds)), seed_(seed) {}

  void write_row(PeerId peer, std::uint64_t round, MixingRow& row) const override {
    const std::uint64_t count = rounds_.size();
    row = rounds_[RandomOrder(count, seed_, round / count).at(round % count)].row(peer);
  }
  bool repeats_in_order() const override { return rounds_.size() == 1; }

 private:
  std::uint64_t seed_;
};

/// Repeats rounds in which each peer hears one other and is heard by one, weight 1/2. Keeps no round, since a
/// million peers have 20.
class PairRounds final : public Schedule {
 public:
  /// Who `peer` hears, or is heard by, in round `round` of a period.
  using Other = PeerId (*)(PeerId peer, std::uint64_t round, PeerId peers);

  PairRounds(std::string name, PeerId peers, Other heard, Other hearer)
      : name_(std::move(name)),
        peers_(peers),
        rounds_(std::bit_width(peers - 1)),
        heard_(heard),
        hearer_(hearer) {}

  PeerId peer_count() const override { return peers_; }
  void write_row(PeerId peer, std::uint64_t round, MixingRow& row) const override {
    row.sit_out();
    row.participates = true;
    if (peers_ == 1) return;
    row.self_weight = 0.5;
    row.hears.push_back({heard_(peer, round % rounds_, peers_), 0.5});
    row.heard_by.push_back(hearer_(peer, round % rounds_, peers_));
  }
  std::optional<std::uint64_t> period() const override { return std::max<std::uint64_t>(rounds_, 1); }
  std::string name() const override { return name_; }
  /// Misuse if a peer would hear another without a link of the graph.
  void require_links(const Graph& graph, const std::string& family) const;

 private:
  std::string name_;
  PeerId peers_;
  std::uint64_t rounds_;  // of a period: the logarithm of the peers, rounded up
  Other heard_;
  Other hearer_;
};

void require_link(const std::string& kind, const Graph& graph, PeerId from, PeerId to,
                  const std::string& family) {
  if (!graph.adjacent(from, to))
    throw Misuse(schedule_key, kind,
                 "peer " + std::to_string(to) + " would hear peer " + std::to_string(from) +
                     ", which is no link of the topology; topology.kind = \"" + family + "\" has them all");
}

void PairRounds::require_links(const Graph& graph, const std::string& family) const {
  for (std::uint64_t round = 0; round < rounds_; ++round)
    for (PeerId peer = 0; peer < peers_; ++peer)
      require_link(name_, graph, peer, hearer_(peer, round, peers_), family);
}

std::unique_ptr<Schedule> one_peer_exponential(const std::string& kind, const Graph& graph) {
  const auto before = [](PeerId peer, std::uint64_t round, PeerId peers) {
    return static_cast<PeerId>((peer + peers - (std::uint64_t{1} << round)) % peers);
  };
  const auto behind = [](PeerId peer, std::uint64_t round, PeerId peers) {
    return static_cast<PeerId>((peer + (std::uint64_t{1} << round)) % peers);
  };
  auto schedule = std::make_unique<PairRounds>(kind, graph.peer_count(), before, behind);
  schedule->require_links(graph, "exponential");
  return schedule;
}

std::unique_ptr<Schedule> hypercube_matchings(const std::string& kind, const Graph& graph) {
  const PeerId n = graph.peer_count();
  if (!std::has_single_bit(n))
    throw Misuse("topology.peers", std::to_string(n),
                 "the schedule hypercube-matchings needs a power of two, such as " +
                     std::to_string(std::bit_floor(n)) + " or " +
                     std::to_string(std::uint64_t{std::bit_floor(n)} * 2));
  const auto across = [](PeerId peer, std::uint64_t round, PeerId) {
    return static_cast<PeerId>(peer ^ (std::uint64_t{1} << round));
  };
  auto schedule = std::make_unique<PairRounds>(kind, n, across, across);
  schedule->require_links(graph, "hypercube");
  return schedule;
}

/// Misuse if the rounds do not fit in memory. A round has a row for every peer, and a star of 10,000 peers
/// would have 9,999 matchings.
void require_rounds_fit(const std::string& kind, std::size_t rounds, const Graph& graph,
                        const std::string& reason) {
  if (static_cast<double>(rounds) * graph.peer_count() > 3e7)
    throw Misuse(
        schedule_key, kind,
        reason + " on " + std::to_string(graph.peer_count()) + " peers makes more rounds than fit in memory");
}

std::vector<MixingMatrix> matching_rounds(const std::string& kind, const Graph& graph) {
  const std::vector<std::vector<Edge>> split = matchings(graph);
  require_rounds_fit(kind, split.size(), graph, "a degree of " + std::to_string(graph.max_degree()));
  std::vector<MixingMatrix> rounds;
  for (const std::vector<Edge>& matching : split) {
    std::vector<WeightedLink> links;
    for (const Edge& pair : matching) {
      links.push_back({pair.a, pair.b, 0.5});
      links.push_back({pair.b, pair.a, 0.5});
    }
    rounds.emplace_back(graph.peer_count(), std::move(links));
  }
  if (rounds.empty()) rounds.emplace_back(graph.peer_count(), std::vector<WeightedLink>{});
  return rounds;
}

std::vector<MixingMatrix> base_matrices(const std::string& kind, const Graph& graph, PeerId base) {
  std::vector<MixingMatrix> rounds;
  for (std::vector<WeightedLink>& links : base_rounds(graph.peer_count(), base)) {
    for (const WeightedLink& link : links) require_link(kind, graph, link.from, link.to, kind);
    rounds.emplace_back(graph.peer_count(), std::move(links));
  }
  if (rounds.empty()) rounds.emplace_back(graph.peer_count(), std::vector<WeightedLink>{});
  return rounds;
}

std::vector<MixingMatrix> dealt_rounds(const std::string& kind, const Graph& graph, PeerId hands,
                                       std::uint64_t seed) {
  std::vector<Edge> links = graph.edges();
  if (hands > std::max<std::size_t>(1, links.size()))
    throw Misuse(schedule_key, kind,
                 "expected at most as many rounds as there are links, " + std::to_string(links.size()));
  require_rounds_fit(kind, hands, graph, "a period of " + std::to_string(hands));
  GraphRandom(seed).shuffle(links);
  std::vector<std::vector<Edge>> dealt(hands);
  for (std::size_t k = 0; k < links.size(); ++k) dealt[k % hands].push_back(links[k]);
  std::vector<MixingMatrix> rounds;
  for (std::vector<Edge>& hand : dealt)
    rounds.push_back(MixingMatrix::metropolis(Graph(graph.peer_count(), std::move(hand))));
  return rounds;
}

/// The one argument of the schedule, a whole number of at least `least`.
PeerId whole_argument(const Spelling& spelling, const std::string& kind, const Choice& choice, PeerId least) {
  std::uint64_t value = 0;
  if (!parse_whole(spelling.arguments[0], value) || value < least ||
      value > std::numeric_limits<PeerId>::max())
    throw Misuse(schedule_key, kind,
                 "expected " + choice.name + choice.arguments + " with a whole number of at least " +
                     std::to_string(least));
  return static_cast<PeerId>(value);
}

}  // namespace

std::span<const Choice> schedule_choices() {
  static const std::array<Choice, 6> choices{{
      {"static", "", "the mixing matrix of topology.weights in every round"},
      {"one-peer-exponential", "", "each round one peer 1, 2, 4, 8, ... away, weight 1/2; directed",
       "a period is exact for powers of two"},
      {"hypercube-matchings", "", "each round the pairs along one dimension average; a power of two",
       "a period is exact"},
      {"random-matchings", "", "each round one matching of an edge coloring of the graph, in random order"},
      {"base", "(b)",
       "few rounds that average exactly for any number of peers, each with at most b - 1 others",
       "the Base-(k+1) graph, b = k + 1 (Takezawa et al. 2023), a period of at most 2 log_b n + 2 rounds; "
       "over `kind = \"base(b)\"` or `\"complete\"`"},
      {"dealt-links", "(b)", "each round every b-th link of the shuffled graph, metropolis weights",
       "one round connects few, any b in a row the whole graph"},
  }};
  return choices;
}

std::unique_ptr<Schedule> make_schedule(const std::string& kind, const Graph& graph, MixingMatrix mixing,
                                        std::uint64_t seed) {
  ensure(mixing.peer_count() == graph.peer_count(), "the mixing matrix is for the peers of the graph");
  const Spelling spelling = parse_spelling(schedule_key, kind);
  const Choice& choice = find_choice(schedule_key, spelling.name, schedule_choices());
  const std::string& name = choice.name;
  if (spelling.arguments.size() != (choice.arguments.empty() ? 0 : 1))
    throw Misuse(schedule_key, kind, "expected " + name + choice.arguments);
  if (!mixing.mutual() && name != "static")
    throw Misuse(schedule_key, kind, "the topology has one-way links; expected static, or links both ways");
  if (name == "static") {
    std::vector<MixingMatrix> only;
    only.push_back(std::move(mixing));
    return std::make_unique<Cycle>(name, std::move(only));
  }
  if (name == "one-peer-exponential") return one_peer_exponential(name, graph);
  if (name == "hypercube-matchings") return hypercube_matchings(name, graph);
  if (name == "base") {
    const PeerId base = whole_argument(spelling, kind, choice, 2);
    const std::string whole = "base(" + std::to_string(base) + ")";
    return std::make_unique<Cycle>(whole, base_matrices(whole, graph, base));
  }
  if (name == "dealt-links") {
    const PeerId hands = whole_argument(spelling, kind, choice, 1);
    const std::string whole = "dealt-links(" + std::to_string(hands) + ")";
    return std::make_unique<Cycle>(whole, dealt_rounds(whole, graph, hands, seed));
  }
  return std::make_unique<ShuffledCycle>(name, matching_rounds(name, graph), seed);
}

}  // namespace hearsay

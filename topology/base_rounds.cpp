#include "topology/base_rounds.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "topology/foundation/ensure.hpp"

namespace hearsay {
namespace {

using Peers = std::vector<PeerId>;
using Round = std::vector<WeightedLink>;
using Rounds = std::vector<Round>;

void link(Round& round, PeerId a, PeerId b, double weight) {
  round.push_back({a, b, weight});
  round.push_back({b, a, weight});
}

/// Adds the links of `rounds` to those of `into`, the first round at round `first`.
void lay(Rounds& into, std::size_t first, const Rounds& rounds) {
  into.resize(std::max(into.size(), first + rounds.size()));
  for (std::size_t r = 0; r < rounds.size(); ++r)
    into[first + r].insert(into[first + r].end(), rounds[r].begin(), rounds[r].end());
}

/// Returns the fewest factors from 2 to `largest`, in descending order, whose product is `number`; nothing if
/// `number` has a prime factor above `largest`. The recursion is cheap: it meets only divisors of one number.
std::optional<Peers> fewest_factors(PeerId number, PeerId largest) {
  if (number == 1) return Peers{};
  std::optional<Peers> fewest;
  for (PeerId factor = std::min(largest, number); factor >= 2; --factor) {
    if (number % factor != 0) continue;
    std::optional<Peers> others = fewest_factors(number / factor, factor);
    if (!others || (fewest && others->size() + 1 >= fewest->size())) continue;
    others->insert(others->begin(), factor);
    fewest = std::move(others);
  }
  return fewest;
}

Rounds hyper_hypercube(std::span<const PeerId> peers, const Peers& factors) {
  Rounds rounds;
  std::size_t place = 1;  // what a digit of 1 adds to a number
  for (const PeerId factor : factors) {
    Round& round = rounds.emplace_back();
    for (std::size_t first = 0; first < peers.size(); ++first)
      for (std::size_t digit = first / place % factor + 1; digit < factor; ++digit)
        link(round, peers[first], peers[first + (digit - first / place % factor) * place], 1.0 / factor);
    place *= factor;
  }
  return rounds;
}

Rounds simple_rounds(std::span<const PeerId> peers, PeerId base) {
  const auto n = static_cast<PeerId>(peers.size());
  if (const auto factors = fewest_factors(n, base)) return hyper_hypercube(peers, *factors);

  struct Block {
    std::size_t begin;
    PeerId parts;
    PeerId part_size;
    std::size_t size() const { return std::size_t{parts} * part_size; }
    std::size_t end() const { return begin + size(); }
  };
  std::vector<Block> blocks;
  PeerId power = 1;
  while (power <= n / base) power *= base;
  for (std::size_t begin = 0; power > 0; power /= base) {
    const Block block{begin, static_cast<PeerId>((n - begin) / power), power};
    if (block.parts == 0) continue;
    blocks.push_back(block);
    begin = block.end();
  }

  const auto within = [&](std::size_t begin, std::size_t size) {
    const auto factors = fewest_factors(static_cast<PeerId>(size), base);
    ensure(factors.has_value(), "a block is a digit times a power of the base");
    return hyper_hypercube(peers.subspan(begin, size), *factors);
  };
  Rounds rounds;
  for (const Block& block : blocks) lay(rounds, 0, within(block.begin, block.size()));
  const std::size_t averaged = rounds.size();
  for (std::size_t l = 0; l + 1 < blocks.size(); ++l) {
    const Block& block = blocks[l];
    Round outward;
    const double weight = static_cast<double>(block.size()) /
                          (static_cast<double>(block.parts) * static_cast<double>(n - block.begin));
    for (std::size_t other = block.end(); other < n; ++other)
      for (PeerId part = 0; part < block.parts; ++part)
        link(outward, peers[other],
             peers[block.begin + std::size_t{part} * block.part_size + (other - block.end())], weight);
    lay(rounds, averaged + l, {outward});
    for (PeerId part = 0; part < block.parts; ++part)
      lay(rounds, averaged + l + 1,
          within(block.begin + std::size_t{part} * block.part_size, block.part_size));
  }
  return rounds;
}

}  // namespace

std::vector<std::vector<WeightedLink>> base_rounds(PeerId peer_count, PeerId base) {
  ensure(base >= 2, "a base has at least two digits");
  Peers everyone(peer_count);
  for (PeerId peer = 0; peer < peer_count; ++peer) everyone[peer] = peer;
  Rounds simple = simple_rounds(everyone, base);

  PeerId rough = peer_count;  // q
  for (PeerId factor = 2; factor <= std::min(base, peer_count); ++factor)
    while (rough % factor == 0) rough /= factor;
  const PeerId smooth = peer_count / rough;  // p
  Rounds rounds;
  for (PeerId group = 0; group < smooth; ++group)
    lay(rounds, 0, simple_rounds(std::span(everyone).subspan(std::size_t{group} * rough, rough), base));
  const std::size_t grouped = rounds.size();
  for (PeerId place = 0; place < rough; ++place) {
    Peers across;
    for (PeerId group = 0; group < smooth; ++group) across.push_back(group * rough + place);
    lay(rounds, grouped, hyper_hypercube(across, *fewest_factors(smooth, base)));
  }
  return rounds.size() < simple.size() ? rounds : simple;
}

Graph base_graph(PeerId peer_count, PeerId base) {
  std::vector<Edge> edges;
  for (const std::vector<WeightedLink>& round : base_rounds(peer_count, base))
    for (const WeightedLink& link : round)
      if (link.from < link.to) edges.push_back({link.from, link.to});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return Graph(peer_count, std::move(edges));
}

}  // namespace hearsay

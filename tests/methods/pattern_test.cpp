#include "algorithms/seam/pattern.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "topology/families.hpp"
#include "topology/mixing.hpp"
#include "topology/schedule.hpp"

namespace hearsay::pattern_test {

TEST_CASE("pattern: neighbors are as many iterations apart as links, and the staleness more for each") {
  const Graph star = make_graph("star", 6, 1);
  CHECK(Pattern::gossip.lead(star, true, 0) == 2);
  CHECK(Pattern::gossip.lead(star, true, 3) == 8);
  CHECK_FALSE(Pattern::gossip.lead(star, false, 0));
  CHECK(Pattern::ring.lead(star, true, 0) == 1);
  CHECK(Pattern::ring.lead(star, false, 0) == 1);
}

TEST_CASE(
    "pattern: a message of a neighbor says what it needs, one that came around the ring, what all need") {
  const SenderProgress progress{.sender = 4, .iteration = 9, .needs_from = 7};
  CHECK(Pattern::gossip.forgets(4, progress) == 7);
  CHECK(Pattern::gossip.forgets(5, progress) == 0);
  CHECK(Pattern::ring.forgets(4, progress) == 8);
  CHECK(Pattern::ring.forgets(5, progress) == 8);
}

TEST_CASE("pattern: by doubling every peer hears whom it sends to, and who is named hears it") {
  for (PeerId n = 2; n <= 20; ++n) {
    const Graph ring = make_graph("ring", n, 1);
    const auto schedule = make_schedule("static", ring, MixingMatrix::metropolis(ring), 1);
    for (PeerId id = 0; id < n; ++id) {
      const Partners partners = Pattern::doubling.partners(id, *schedule);
      CHECK(partners.sources == partners.destinations);
      CHECK(std::ranges::is_sorted(partners.sources));
      for (const PeerId other : partners.sources) {
        CHECK(other < n);
        CHECK(std::ranges::count(Pattern::doubling.partners(other, *schedule).sources, id) == 1);
      }
    }
  }
}

}  // namespace hearsay::pattern_test

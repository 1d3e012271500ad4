#include "runtime/checkpoint/replay.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "runtime/foundation/digest.hpp"
#include "runtime/peer/peer.hpp"
#include "tests/checkpoint/saved_cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::replay_test {

TEST_CASE(
    "replay: from the start, each neighbor is kept what it may still need, and from where on is known") {
  constexpr std::uint64_t iterations = 6;
  const std::pair<std::string, std::uint64_t> methods_and_floors[] = {{"d-psgd", iterations},
                                                                      {"allreduce-sgd", iterations - 1}};
  for (const auto& method_and_floor : methods_and_floors) {
    const std::string& method = method_and_floor.first;
    const std::uint64_t last_floor = method_and_floor.second;
    CAPTURE(method);
    const auto experiment = prepare<double>(settings_of(method, {"ring", 4}, {.iterations = iterations}),
                                            quadratic_problem<double>(19, first_peers(4), Shared::nothing));
    SavedCluster<double> cluster(experiment, 0, 1);
    cluster.run();
    for (PeerId id = 0; id < 4; ++id) {
      const Life& life = cluster.lives()[id];
      PacketPool packets;
      PeerMeters meters;
      const auto peer = make_peer(experiment, id, packets);
      const SessionState state = replay(experiment, *peer, {1, {}, {}, {}, {}}, life.heard, meters);
      CHECK(digest(peer->model()) == digest(cluster.peer(id).model()));
      CHECK(state.next_needed == iterations + 1);
      REQUIRE(state.released.size() == partners_of(experiment, id).destinations.size());
      for (const auto& [to, floor] : state.released) {
        CHECK(floor == last_floor);
        const auto needed = [to = to, floor = floor](const Outgoing& message) {
          return message.to == to && message.key.iteration >= floor;
        };
        const auto kept = [to = to](const Outgoing& message) { return message.to == to; };
        CHECK(std::ranges::count_if(state.retained, kept) == std::ranges::count_if(life.sent, needed));
        CHECK(std::ranges::count_if(state.retained, needed) == std::ranges::count_if(life.sent, needed));
      }
    }
  }
}

}  // namespace hearsay::test::replay_test

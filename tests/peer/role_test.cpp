#include "runtime/peer/role.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "runtime/peer/peer.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::role_test {

namespace {

constexpr PeerId standby = 2;

Experiment<double> star(const std::string& settings) {
  return experiment_from<double>(
      "model.kind = \"quadratic(4)\"\ntopology.kind = \"star\"\ntopology.peers = 5\n"
      "algorithm.kind = \"fed-avg\"\ntopology.hub = \"dedicated\"\n" +
      settings);
}

Experiment<double> star_with_standby() {
  return star("failure.policy = \"drop\"\nfailure.hub_standby = 2\n");
}

std::string name_of(const Role<double>& role) {
  if (role.as_hub()) return "hub";
  if (role.as_worker()) return "worker";
  return role.as_standby() ? "standby" : "of no hub";
}

std::string names_of(const Experiment<double>& experiment) {
  PacketPool packets;
  std::string names;
  for (PeerId id = 0; id < experiment.peer_count(); ++id)
    names += (id ? " " : "") + name_of(make_peer(experiment, id, packets)->role());
  return names;
}

}  // namespace

TEST_CASE("role: peer 0 is the hub of each method that has one, and the others are its workers") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    CHECK(names_of(quadratic_experiment<double>(method.name, "ring", 3, 4)) ==
          (method.pattern.has_hub ? "hub worker worker" : "of no hub of no hub of no hub"));
  }
}

TEST_CASE("role: only the worker that stands by keeps a second hub") {
  CHECK(names_of(star("")) == "hub worker worker worker worker");
  CHECK(names_of(star_with_standby()) == "hub worker standby worker worker");
}

TEST_CASE("role: each peer knows its hub, and whether it may be lost") {
  PacketPool packets;
  for (const bool has_standby : {false, true}) {
    const Experiment<double> experiment =
        has_standby ? star_with_standby() : star("failure.policy = \"drop\"\n");
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      CAPTURE(id);
      const auto peer = make_peer(experiment, id, packets);
      CHECK(peer->role().hub() == 0);
      CHECK(peer->role().survives_hub() == (has_standby && id != 0));
      CHECK_FALSE(peer->role().awaits_standby());
      CHECK_FALSE(peer->was_mistaken());
      if (id != 0) CHECK(peer->role().deals_with(standby) == (has_standby && id != standby));
    }
  }
}

TEST_CASE("role: a worker that has lost its hub turns to the standby, and the standby to itself") {
  PacketPool packets;
  const Experiment<double> experiment = star_with_standby();
  const auto worker = make_peer(experiment, 3, packets);
  worker->lose(0);
  CHECK(worker->role().hub() == standby);
  CHECK(worker->role().awaits_standby());
  CHECK(worker->role().has_lost(0));
  CHECK_FALSE(worker->role().survives_hub());
  worker->lose(standby);
  CHECK_FALSE(worker->role().awaits_standby());
  CHECK(worker->neighbors().lacks_hub());

  const auto second = make_peer(experiment, standby, packets);
  second->start();
  second->lose(0);
  CHECK(second->role().hub() == standby);
  CHECK(second->standby_hub()->serves());
  CHECK_FALSE(second->neighbors().lacks_hub());
}

}  // namespace hearsay::role_test

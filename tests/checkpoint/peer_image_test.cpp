#include "runtime/checkpoint/peer_image.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <tuple>

#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/checkpoint/checkpoint.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/foundation/little_endian.hpp"
#include "runtime/peer/peer.hpp"
#include "tests/checkpoint/saved_cluster.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::peer_image_test {

namespace {

const World half = {"ring", 6, "metropolis", "static", 0.5};

/// Returns experiments with all kinds of state: replicas of neighbors that meet now and then; a table of
/// gradients; an optimizer.
std::vector<Experiment<float>> kinds_of_state() {
  std::vector<Experiment<float>> all;
  all.push_back(regressions_in<float>(half, "dcd-psgd", {.iterations = 6, .batch = 3}, 7));
  all.push_back(regressions_in<float>(
      {"ring", 3}, "dpsvrg", {.iterations = 6, .batch = 3, .options = {{option::estimator, "saga"}}}, 7));
  all.push_back(regressions_in<float>(
      {"ring", 3}, "d-psgd", {.iterations = 6, .batch = 3, .options = {{option::optimizer, "adam"}}}, 7));
  return all;
}

/// Collects what a method names, with kind and owner.
struct Names final : StateVisitor<double> {
  std::multiset<std::tuple<std::string, std::string, PeerId>> names;
  void add(const char* kind, std::string_view name, PeerId owner = 0) {
    names.emplace(kind, std::string(name), owner);
  }
  void state(std::string_view name, Vector<double>&) override { add("state", name); }
  void published(std::string_view name, Vector<double>&) override { add("published", name); }
  void replica(std::string_view name, PeerId owner, Vector<double>&) override { add("replica", name, owner); }
  void late_state(std::string_view name, Vector<double>&) override { add("late state", name); }
  void numbers(std::string_view name, std::span<std::uint64_t>) override { add("numbers", name); }
  void bytes(std::string_view name, std::vector<std::byte>&) override { add("bytes", name); }
  void scratch(std::string_view, Vector<double>&) override {}
};

}  // namespace

TEST_CASE(
    "peer: a checkpoint is due after every so many iterations and after the last, before the evaluation") {
  auto experiment = quadratics_in<double>({"ring", 1}, "d-psgd", {.iterations = 8});
  experiment.settings.run.evaluate_every = 2;
  PacketPool packets;
  const auto peer = make_peer(experiment, 0, packets, {.every = 3});
  peer->verdict(0, true);
  peer->start();
  std::string seen;
  while (peer->state() != PeerState::finished) {
    if (peer->state() == PeerState::needs_gradient) {
      peer->compute_gradient();
      peer->gradient_arrived();
    } else if (peer->state() == PeerState::checkpoint_due) {
      seen += "c" + std::to_string(peer->iteration()) + " ";
      peer->checkpoint_taken();
    } else if (peer->state() == PeerState::evaluation_due) {
      seen += "e" + std::to_string(peer->iteration()) + " ";
      peer->evaluation_taken();
    } else {
      REQUIRE(peer->state() == PeerState::needs_verdict);
      peer->verdict(*peer->last_verdict() + 2, true);
    }
  }
  CHECK(seen == "e2 c3 e4 c6 e6 c8 e8 ");
}

TEST_CASE("peer: a checkpoint is due after iterations that it sits out, too") {
  const auto experiment = quadratics_in<double>(half, "d-psgd", {.iterations = 12});
  SavedCluster<double> cluster(experiment, 1, 1);
  cluster.run();
  std::size_t sat_out = 0;
  for (PeerId id = 0; id < 6; ++id) {
    CHECK(cluster.lives()[id].images.size() == 12);
    for (std::uint64_t round = 0; round < 12; ++round)
      sat_out += experiment.schedule->row(id, round).participates ? 0 : 1;
  }
  CHECK(sat_out == 36);
}

TEST_CASE("peer: without checkpoints none is due") {
  const auto experiment = quadratics_in<double>({"ring", 3}, "d-psgd", {.iterations = 4});
  SavedCluster<double> cluster(experiment, 0, 1);
  cluster.run();
  for (const Life& life : cluster.lives()) CHECK(life.images.empty());
}

TEST_CASE("peer image: what a method names has a name of its own") {
  for (const MethodInfo& method : methods()) {
    std::vector<World> worlds = {{"ring", 4}};
    if (method.permits_time_varying && method.pattern.has_hub)
      worlds.push_back({"star", 6, "metropolis", "static", 0.5});
    else if (method.permits_time_varying)
      worlds.push_back({"exponential", 6, "metropolis", "one-peer-exponential"});
    for (const World& world : worlds) {
      CAPTURE(method.name);
      const auto experiment = quadratics_in<double>(world, method.name, {});
      PacketPool packets;
      Names named;
      make_peer(experiment, 0, packets)->algorithm().visit_state(named);
      CHECK(std::set(named.names.begin(), named.names.end()).size() == named.names.size());
    }
  }
}

TEST_CASE("peer image: messages for iterations to come wait in it") {
  const auto experiment = quadratics_in<double>({"ring", 5}, "d-psgd", {.iterations = 20});
  SavedCluster<double> cluster(experiment, 2, 1);
  cluster.run();
  std::size_t waiting = 0;
  for (const Life& life : cluster.lives())
    for (const auto& [iteration, image] : life.images)
      // After the completed iterations, two verdicts, the announced number, the counters, and no peer that
      // was told a digest.
      waiting += load_little_endian<std::uint32_t>(
          std::span(image).subspan(8 + 9 + 9 + 8 + sizeof(PeerCounters) + 4));
  CHECK(waiting > 0);
}

TEST_CASE(
    "peer image: a finished run goes on with more iterations, as if it had had them from the beginning") {
  for (const char* method : {"choco-sgd", "beer", "qg-momentum"}) {
    CAPTURE(method);
    const auto longer = regressions_in<float>({"ring", 4}, method, {.iterations = 14, .batch = 3}, 19);
    auto shorter = regressions_in<float>({"ring", 4}, method, {.iterations = 9, .batch = 3}, 19);
    SavedCluster<float> first(shorter, 4, 1);
    first.run();
    SavedCluster<float> extended(longer, 4, 2, first.lives(), 9);
    extended.run();
    SavedCluster<float> whole(longer, 4, 3);
    whole.run();
    for (PeerId id = 0; id < 4; ++id) {
      CHECK(digest(extended.peer(id).model()) == digest(whole.peer(id).model()));
      CHECK(digest(first.peer(id).model()) != digest(whole.peer(id).model()));
      CHECK(extended.peer(id).counters().gradient_evaluations ==
            whole.peer(id).counters().gradient_evaluations);
    }
  }
}

TEST_CASE("peer image: a verdict that ends the run is remembered") {
  auto experiment = quadratics_in<double>({"ring", 1}, "d-psgd", {.iterations = 100});
  experiment.settings.run.evaluate_every = 5;
  PacketPool packets;
  const auto peer = make_peer(experiment, 0, packets, {.every = 4});
  peer->verdict(0, true);
  peer->start();
  while (peer->iteration() < 8) {
    if (peer->state() == PeerState::evaluation_due) {
      peer->evaluation_taken();
      peer->verdict(5, false);
    } else if (peer->state() == PeerState::checkpoint_due) {
      peer->checkpoint_taken();
    } else {
      peer->compute_gradient();
      peer->gradient_arrived();
    }
  }
  const auto restored = reborn(experiment, 0, packets, 4, image_of(*peer), InboxOnRestore::keep);
  REQUIRE(restored);
  CHECK(restored->last_verdict() == 5);
  Life later;
  restored->start();
  settle(*restored, later);
  CHECK(restored->state() == PeerState::finished);
  CHECK(restored->iteration() == 10);
}

TEST_CASE("peer image: a killed peer is the same again by its checkpoint file and its log") {
  for (const char* method : {"choco-sgd", "dpsvrg", "c-gt"}) {
    CAPTURE(method);
    const auto experiment = regressions_in<double>({"ring", 4}, method, {.iterations = 11, .batch = 3}, 19);
    SavedCluster<double> cluster(experiment, 5, 1);
    cluster.run();
    const PeerId id = 2;
    const Life& life = cluster.lives()[id];
    const TemporaryFolder folder("killed-peer");
    const CheckpointOwner owner{.run_id = 1, .peer = id, .peer_count = 4, .scalar_bytes = 8, .dimension = 19};
    PacketPool packets;
    REQUIRE(!write_checkpoint(folder.path(), owner, {.iteration = 5, .image = life.images.at(5)}, 2));
    PacketLog log(folder.path(), {.run_id = 1, .peer = id});
    REQUIRE(!log.begin(5, 5));
    for (std::size_t k = life.since.at(5); k < life.heard.size(); ++k) {
      if (const auto* data = std::get_if<LoggedData>(&life.heard[k]))
        REQUIRE(!log.append(data->key, data->packet));
      else
        REQUIRE(!log.append_verdict(std::get<LoggedVerdict>(life.heard[k]).evaluated,
                                    std::get<LoggedVerdict>(life.heard[k]).proceed));
    }

    const ReadCheckpoint read = read_checkpoint(owner, checkpoint_path(folder.path(), id, 5), packets);
    REQUIRE(read.checkpoint);
    const auto peer = reborn(experiment, id, packets, 5, read.checkpoint->image, InboxOnRestore::keep);
    REQUIRE(peer);
    Life later;
    peer->start();
    settle(*peer, later);
    for (const LogRecord& heard :
         read_packet_log(folder.path(), {.run_id = 1, .peer = id}, 5, packets).heard) {
      hear(*peer, heard);
      settle(*peer, later);
    }
    CHECK(peer->state() == PeerState::finished);
    CHECK(digest(peer->model()) == digest(cluster.peer(id).model()));
    CHECK(without_what_came(later.images.at(11)) == without_what_came(life.images.at(11)));
  }
}

TEST_CASE("peer image: every truncation, a byte more and another method's image are refused") {
  const auto experiments = kinds_of_state();
  std::vector<Image> images;
  for (const auto& experiment : experiments) {
    SavedCluster<float> cluster(experiment, 3, 1);
    cluster.run();
    const Image image = cluster.lives()[1].images.at(3);
    images.push_back(image);
    PacketPool packets;
    const auto fits = [&](std::span<const std::byte> bytes) {
      return reborn(experiment, 1, packets, 3, bytes, InboxOnRestore::keep) != nullptr;
    };
    REQUIRE(fits(image));
    for (std::size_t length = 0; length < image.size(); ++length) {
      CAPTURE(length);
      CHECK(!fits(std::span(image).first(length)));
    }
    Image longer = image;
    longer.push_back(std::byte{0});
    CHECK(!fits(longer));
  }
  PacketPool packets;
  for (std::size_t k = 0; k < images.size(); ++k)
    for (std::size_t other = 0; other < images.size(); ++other)
      CHECK((reborn(experiments[k], 1, packets, 3, images[other], InboxOnRestore::keep) != nullptr) ==
            (k == other));
}

TEST_CASE("peer image: whatever is in it, a peer that takes it goes on without harm") {
  for (const auto& experiment : kinds_of_state()) {
    CAPTURE(experiment.method->name);
    SavedCluster<float> cluster(experiment, 3, 1);
    cluster.run();
    const Life& life = cluster.lives()[1];
    Image image = life.images.at(3);
    std::size_t refused = 0;
    for (std::size_t place = 0; place < image.size(); ++place)
      for (const std::byte mask : {std::byte{0x01}, std::byte{0x80}, std::byte{0xff}}) {
        image[place] ^= mask;
        PacketPool packets;
        if (const auto peer = reborn(experiment, 1, packets, 3, image, InboxOnRestore::keep)) {
          Life later;
          peer->start();
          settle(*peer, later);
          for (std::size_t k = life.since.at(3); k < life.heard.size(); ++k) {
            // To hand verdicts in order is the duty of the caller, so they are left out.
            if (!std::holds_alternative<LoggedData>(life.heard[k])) continue;
            hear(*peer, life.heard[k]);
            settle(*peer, later);
          }
        } else {
          ++refused;
        }
        image[place] ^= mask;
      }
    CHECK(refused > 0);
  }
}

TEST_CASE("peer image: an asynchronous peer takes none") {
  const auto experiment = quadratics_in<double>({"ring", 2}, "ad-psgd", {});
  PacketPool packets;
  CHECK(!restore(*make_peer(experiment, 0, packets), Image(1000), InboxOnRestore::keep));
}

}  // namespace hearsay::test::peer_image_test

#include <doctest/doctest.h>

#include "tests/faults/frame_proxy.hpp"
#include "tests/faults/host_peers.hpp"
#include "tests/support/process.hpp"

namespace hearsay::test::faults_frames_test {

namespace {

/// A run in which peer 1 and the observer are reached through proxies.
struct Scene {
  HostPeers::Setup setup{.iterations = "120", .failure = "checkpoint_every = 7\nlost_after = \"3 s\"\n"};
  std::string front = free_address();
  std::string observer_front = free_address();
  HostPeers hosts{through_proxies()};

  HostPeers::Setup through_proxies() {
    setup.address_of_1 = front;
    setup.address_of_observer = observer_front;
    setup.on_loopback = true;
    return setup;
  }

  struct End {
    RunRecord record;
    FrameProxy::Struck struck;
  };
  End run(std::uint64_t seed, FrameFaults faults, FrameFaults at_observer = {}, Said said = Said::the_same) {
    CAPTURE(seed);
    hosts.start_all();
    FrameProxy proxy(front, hosts.bound_address_of_1(), seed, faults);
    FrameProxy observer(observer_front, hosts.bound_address_of_observer(), seed + 1, at_observer);
    RunRecord record = hosts.check_end({}, said);
    observer.stop();
    return {std::move(record), proxy.stop()};
  }
};

/// A run whose models are so long that they travel in pieces, to an observer that is reached through a proxy
/// which drops some frames.
struct LongModels {
  std::string front = free_address();
  HostPeers hosts;
  FrameProxy observer;

  LongModels(const std::string& partition, const std::string& iterations)
      : hosts({.iterations = iterations,
               .data = "source = \"synthetic(samples=96, features=6000, classes=3)\"\npartition = \"" +
                       partition + "\"\n",
               .failure = "lost_after = \"3 s\"\n",
               .address_of_observer = front,
               .on_loopback = true}),
        observer(front, (hosts.start_all(), hosts.bound_address_of_observer()), 6, {.drop = 0.03}) {}
};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults: frames that a proxy drops are sent again") {
    const auto [record, struck] = Scene().run(1, {.drop = 0.06});
    CHECK(struck.dropped > 5);
    CHECK(record.total("gaps") > 0);
    CHECK(record.total("retransmitted") > 0);
    CHECK(record.total("garbage") == 0);
  }

  TEST_CASE("faults: frames that a proxy doubles or reorders are taken in once, in order") {
    const auto [record, struck] = Scene().run(2, {.repeat = 0.04, .overtake = 0.04});
    CHECK(struck.repeated > 5);
    CHECK(struck.overtaken > 5);
    CHECK(record.total("repeated") > 0);
    CHECK(record.total("gaps") > 0);
    CHECK(record.total("garbage") == 0);
  }

  TEST_CASE("faults: frames that a proxy truncates, or of which it flips a bit, are garbage and sent again") {
    const auto [record, struck] = Scene().run(3, {.truncate = 0.04, .flip = 0.05});
    CHECK(struck.truncated > 5);
    CHECK(struck.flipped > 5);
    CHECK(record.total("garbage") > 5);
    CHECK(record.total("retransmitted") > 0);
  }

  TEST_CASE("faults: pieces of long messages that a proxy drops, doubles or damages are sent again") {
    // 10.8 MB a model: three pieces.
    Scene scene{.setup = {.iterations = "25",
                          .data = "source = \"synthetic(samples=16, features=900000, classes=3)\"\n",
                          .failure = "lost_after = \"3 s\"\n",
                          .algorithm = "kind = \"dcd-psgd\"\ncompressor = \"none\"\n"}};
    const auto [record, struck] =
        scene.run(6, {.drop = 0.03, .repeat = 0.02, .truncate = 0.02, .flip = 0.02});
    CHECK(struck.dropped > 3);
    CHECK(struck.repeated + struck.truncated + struck.flipped > 3);
    CHECK(record.total("retransmitted") > 0);
  }

  TEST_CASE("faults: a digest that differs from the replica costs a resync over the wire, and no bit") {
    const auto [record, struck] = Scene().run(5, {.lie = 1.0}, {}, Said::more);
    CHECK(struck.lied > 3);
    CHECK(record.total("digests_differed") == struck.lied);
    CHECK(record.total("resyncs") > 3);
    CHECK(record.summary.at("resyncs") == record.total("resyncs"));
    CHECK(record.total("unfit_copies") == 0);
    CHECK(record.total("late") == 0);
  }

  TEST_CASE("faults: models come in pieces, whichever words and pieces a proxy drops") {
    LongModels scene("iid", "40");
    scene.hosts.check_end();
    CHECK(scene.observer.stop().dropped > 5);
  }

  TEST_CASE("faults: questions in pieces and their answers come, whichever of them a proxy drops") {
    LongModels scene("home", "20");
    for (std::size_t id = 0; id < HostPeers::count; ++id)
      CHECK_MESSAGE(scene.hosts.peer(id).wait() == 0, scene.hosts.peer(id).complained());
    CHECK(record_of(scene.hosts.output(0)).summary["status"] == "done");
    CHECK(scene.observer.stop().dropped > 5);
  }

  TEST_CASE("faults: all of it at once, to and from the observer, too") {
    const FrameFaults all = {.drop = 0.02, .repeat = 0.02, .overtake = 0.02, .truncate = 0.02, .flip = 0.02};
    const auto [record, struck] = Scene().run(4, all, all);
    CHECK(struck.dropped + struck.repeated + struck.overtaken + struck.truncated + struck.flipped > 10);
    CHECK(record.total("garbage") > 0);
  }
}

}  // namespace hearsay::test::faults_frames_test

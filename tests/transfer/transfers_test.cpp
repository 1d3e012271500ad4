#include "runtime/transfer/transfers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "algorithms/arithmetic/random.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/transfer/observer_port_network.hpp"

namespace hearsay::test::transfers_test {

using namespace std::chrono_literals;

namespace {

bool is_first(const std::vector<Sent>& arrived, FrameKind kind, const std::vector<std::byte>& payload) {
  return !arrived.empty() && arrived.front().header.kind == kind && arrived.front().payload == payload;
}

}  // namespace

TEST_CASE("transfer: models and questions of every length come as they were sent, over any network") {
  for (const double rate : {1e5, 1.25e6, 1e9})
    for (const Duration latency : {Duration{100us}, Duration{5ms}, Duration{200ms}})
      for (const std::size_t bytes : {65536, 65537, 300'001}) {
        CAPTURE(rate);
        CAPTURE(bytes);
        Network network(3, rate, latency);
        for (PeerId k = 0; k < 3; ++k) {
          network.report(k, header_of(FrameKind::evaluation, 10, k), model(bytes, k));
          network.ask(k, header_of(FrameKind::question, 5, 0), model(bytes, 9));
        }
        const auto all_are_here = [&] {
          return network.at_observer.size() == 3 && network.at_peers.size() == 3;
        };
        REQUIRE(network.run_until(Instant(600s), all_are_here));
        for (PeerId k = 0; k < 3; ++k) {
          CHECK(is_first(network.at_observer[k], FrameKind::evaluation, model(bytes, k)));
          CHECK(is_first(network.at_peers[k], FrameKind::question, model(bytes, 9)));
        }
      }
}

TEST_CASE("transfer: of an observer that is away no more than eight frames wait") {
  Transfers sender(1, limit, {run, 0, incarnation});
  for (std::uint64_t k = 0; k < 20; ++k)
    sender.send(0, header_of(FrameKind::evaluation, k, 0), model(100'000, k));
  std::vector<PiecesOf> announced;
  const auto sink = [&](std::size_t, const FrameHeader& header, auto) {
    announced.push_back(as_piece(header).of);
  };
  for (std::size_t k = 0; k < 20; ++k) {
    sender.carry_out({Instant(1s)}, sink);
    FrameHeader end = header_of(FrameKind::take, 0, 0);
    put(Take{announced.back(), 0, 0, header_bytes + 100'000}, end);
    sender.hear(0, end, {}, Instant(1s));
  }
  REQUIRE(announced.size() == 8);
  for (std::uint64_t k = 0; k < 8; ++k) CHECK(announced[k].iteration == 12 + k);
}

TEST_CASE("transfer: a connection that breaks costs what was under way, and nothing is lost") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0, Purpose::data);
    Network network(3, 1.25e6, 5ms);
    const auto say_what_is_missing = [&] {
      for (PeerId k = 0; k < 3; ++k) {
        if (network.at_observer[k].empty())
          network.report(k, header_of(FrameKind::evaluation, 10, k), model(200'000, k));
        if (network.at_peers[k].empty())
          network.ask(k, header_of(FrameKind::question, 5, 0), model(200'000, 9));
      }
    };
    say_what_is_missing();
    for (int round = 0; round < 12; ++round) {
      network.run_until(network.now + Duration(random.below(500'000'000)), [] { return false; });
      network.break_connection(random.below(3));
    }
    const auto all_are_here = [&] {
      return std::ranges::none_of(network.at_observer, [](const auto& e) { return e.second.empty(); }) &&
             std::ranges::none_of(network.at_peers, [](const auto& e) { return e.second.empty(); });
    };
    for (int beat = 0; beat < 30 && !all_are_here(); ++beat) {  // as the heartbeats of the sessions do
      say_what_is_missing();
      network.run_until(network.now + 2s, all_are_here);
    }
    REQUIRE(all_are_here());
    for (PeerId k = 0; k < 3; ++k) {
      CHECK(is_first(network.at_observer[k], FrameKind::evaluation, model(200'000, k)));
      CHECK(is_first(network.at_peers[k], FrameKind::question, model(200'000, 9)));
    }
  }
}

TEST_CASE(
    "transfer: a peer that dies in the middle of its model holds up nobody, and its new process starts "
    "anew") {
  Network network(2, 1.25e6, 5ms);
  for (PeerId k = 0; k < 2; ++k)
    network.report(k, header_of(FrameKind::evaluation, 10, k), model(1 << 20, k));
  network.run_until(Instant(1300ms), [] { return false; });
  network.restart_peer(0);
  REQUIRE(network.run_until(Instant(10s), [&] { return network.at_observer.contains(1); }));
  FrameHeader again = header_of(FrameKind::evaluation, 10, 0);
  again.incarnation = 6;
  network.report(0, again, model(1 << 20, 0));
  REQUIRE(network.run_until(Instant(20s), [&] { return network.at_observer.contains(0); }));
  CHECK(is_first(network.at_observer[0], FrameKind::evaluation, model(1 << 20, 0)));
}

TEST_CASE("transfer: a disk that fails in the middle of a model costs time, and not the model") {
  Network network(2, 1.25e6, 5ms);
  for (PeerId k = 0; k < 2; ++k)
    network.report(k, header_of(FrameKind::evaluation, 10, k), model(200'000, k));
  network.run_until(network.now + 100ms, [] { return false; });
  REQUIRE(network.at_observer.empty());
  const FullDisk full(1000);
  REQUIRE(network.run_until(Instant(60s), [&] { return network.at_observer.size() == 2; }));
  for (PeerId k = 0; k < 2; ++k)
    CHECK(is_first(network.at_observer[k], FrameKind::evaluation, model(200'000, k)));
  CHECK(network.now > Instant(6s));  // they were announced again
}

TEST_CASE("transfer: a result never overtakes a model, and short frames travel whole") {
  Network network(1, 1.25e6, 5ms);
  network.report(0, header_of(FrameKind::evaluation, 10, 0), model(200'000, 1));
  network.report(0, header_of(FrameKind::result, 10, 0), model(500, 2));
  REQUIRE(network.run_until(Instant(10s), [&] { return network.at_observer[0].size() == 2; }));
  CHECK(network.at_observer[0][0].header.kind == FrameKind::evaluation);
  CHECK(network.at_observer[0][1].header.kind == FrameKind::result);
  CHECK(network.at_observer[0][1].payload == model(500, 2));
  const Transfers transfers(1, limit, {run, 0, incarnation});
  CHECK_FALSE(transfers.carries(0, FrameKind::evaluation, (64 << 10) - 1));
  CHECK_FALSE(transfers.carries(0, FrameKind::result, 1 << 20));
  CHECK_FALSE(transfers.carries(0, FrameKind::answer, 1 << 20));
}

TEST_CASE("transfer: whichever word is the last before a connection breaks, all comes, once and in order") {
  const auto send_all = [](Network& network) {
    for (const std::uint64_t iteration : {10, 20, 30}) {
      network.report(0, header_of(FrameKind::evaluation, iteration, 0), model(70'000, iteration));
      network.ask(0, header_of(FrameKind::question, iteration, 0), model(80'000, iteration + 1));
    }
    network.report(0, header_of(FrameKind::result, 30, 0), model(500, 2));
  };
  const auto all_are_here = [](Network& network) {
    return [&] { return network.at_observer[0].size() >= 4 && network.at_peers[0].size() >= 3; };
  };
  Network calm(1, 1.25e6, 5ms);
  send_all(calm);
  REQUIRE(calm.run_until(Instant(600s), all_are_here(calm)));
  REQUIRE(calm.delivered > 60);
  for (std::size_t words = 0; words <= calm.delivered; ++words) {
    CAPTURE(words);
    Network network(1, 1.25e6, 5ms);
    send_all(network);
    network.run_until(Instant(600s), [&] { return network.delivered == words; });
    network.break_connection(0);
    if (!network.run_until(network.now + 20s, all_are_here(network))) {
      REQUIRE(network.at_observer[0].size() ==
              3);  // a result that travels whole is said again by its session
      network.report(0, header_of(FrameKind::result, 30, 0), model(500, 2));
    }
    network.run_until(network.now + 200s, [] { return false; });
    REQUIRE(network.at_observer[0].size() == 4);
    REQUIRE(network.at_peers[0].size() == 3);
    for (const std::size_t k : {0, 1, 2}) {
      CHECK(network.at_observer[0][k].payload == model(70'000, 10 * (k + 1)));
      CHECK(network.at_peers[0][k].payload == model(80'000, 10 * (k + 1) + 1));
    }
    CHECK(network.at_observer[0][3].header.kind == FrameKind::result);
    CHECK(network.wakes() == Instant::max());
  }
}

TEST_CASE("transfer: what a verdict closes makes room for what is behind it, even if the verdict is lost") {
  for (const bool is_heard : {true, false}) {
    CAPTURE(is_heard);
    Network network(1, 1.25e5, 5ms);
    for (const std::uint64_t iteration : {10, 20}) {
      network.report(0, header_of(FrameKind::evaluation, iteration, 0), model(1 << 20, iteration));
      network.ask(0, header_of(FrameKind::question, iteration, 0), model(1 << 20, iteration));
    }
    network.run_until(Instant(3s), [] { return false; });
    network.say_verdict(0, 10, is_heard);
    REQUIRE(network.run_until(Instant(40s), [&] { return !network.at_observer[0].empty(); }));
    CHECK(network.at_observer[0][0].header.iteration == 20);
    if (!is_heard) continue;  // the observer would send a verdict again that its peer lacks
    REQUIRE(network.run_until(Instant(40s), [&] { return !network.at_peers[0].empty(); }));
    CHECK(network.at_peers[0][0].header.iteration == 20);
  }
}

TEST_CASE("transfer: a frame that is said anew, since what it asked for or brought is missing, comes again") {
  Network network(1, 1.25e6, 5ms);
  for (const std::size_t times : {1, 2, 3}) {
    network.report(0, header_of(FrameKind::evaluation, 10, 0), model(100'000, 1));
    network.ask(0, header_of(FrameKind::question, 10, 0), model(100'000, 2));
    network.run_until(network.now + 10s, [] { return false; });
    CHECK(network.at_observer[0].size() == times);
    CHECK(network.at_peers[0].size() == times);
  }
}

TEST_CASE("transfer: a late word on a frame says nothing of the one that is said anew") {
  Transfers sender(1, limit, {run, 0, incarnation});
  std::vector<PiecesOf> announced;
  const auto carry_out = [&] {
    sender.carry_out({Instant(1s)}, [&](std::size_t, const FrameHeader& header, auto) {
      announced.push_back(as_piece(header).of);
    });
  };
  const auto hear_that_it_has_all = [&](const PiecesOf& of) {
    FrameHeader word = header_of(FrameKind::take, 0, 0);
    put(Take{of, 0, 0, header_bytes + 100'000}, word);
    sender.hear(0, word, {}, Instant(1s));
  };
  const auto say = [&] {
    sender.send(0, header_of(FrameKind::evaluation, 10, 0), model(100'000, 1));
    carry_out();
  };
  say();
  say();  // it is announced twice, and so answered twice
  REQUIRE(announced.size() == 2);
  hear_that_it_has_all(announced[0]);
  say();
  REQUIRE(announced.size() == 3);
  hear_that_it_has_all(announced[1]);
  CHECK(sender.next() != Instant::max());
  hear_that_it_has_all(announced[2]);
  CHECK(sender.next() == Instant::max());
}

TEST_CASE("transfer: a result that is said again is the last word still, and comes once") {
  Network network(1, 1.25e6, 5ms);
  network.report(0, header_of(FrameKind::evaluation, 10, 0), model(1 << 20, 1));
  for (const std::uint64_t k : {2, 3}) network.report(0, header_of(FrameKind::result, 10, 0), model(500, k));
  network.run_until(Instant(10s), [] { return false; });
  REQUIRE(network.at_observer[0].size() == 2);
  CHECK(network.at_observer[0][1].payload == model(500, 3));
}

TEST_CASE("transfer: no receiver makes a sender give out more than a window holds") {
  Transfers sender(1, limit, {run, 0, incarnation});
  sender.send(0, header_of(FrameKind::evaluation, 10, 0), model(32 << 20, 1));
  std::uint64_t given_out = 0;
  for (int k = 0; k < 100'000; ++k) {
    FrameHeader header = header_of(FrameKind::take, 0, 0);
    const std::uint32_t bytes = k % 2 ? ~std::uint32_t{0} : 256 << 10;
    put(Take{{FrameKind::evaluation, 10, 1}, header_bytes + std::uint64_t(k), bytes, header_bytes}, header);
    sender.hear(0, header, {}, Instant(1s));
  }
  sender.carry_out({Instant(1s)},
                   [&](std::size_t, const FrameHeader&, auto payload) { given_out += payload.size(); });
  CHECK(given_out <= TakeWindow::most_bytes + header_bytes);
}

TEST_CASE(
    "transfer: a frame of which nothing comes any more is given up, and taken if it is announced again") {
  Network network(2, 1.25e6, 5ms);
  network.report(0, header_of(FrameKind::evaluation, 10, 0), model(1 << 20, 0));
  network.run_until(Instant(1300ms), [] { return false; });
  network.silence_peer(0);
  network.run_until(Instant(60s), [] { return false; });
  CHECK(network.wakes() == Instant::max());
  network.report(0, header_of(FrameKind::evaluation, 10, 0), model(1 << 20, 0));
  REQUIRE(network.run_until(Instant(70s), [&] { return network.at_observer.contains(0); }));
  CHECK(is_first(network.at_observer[0], FrameKind::evaluation, model(1 << 20, 0)));
}

TEST_CASE("transfer: takes and pieces that fit nothing change nothing") {
  Transfers transfers(2, 1 << 20, {run, 0, incarnation});
  const auto nowhere = [](std::size_t, const FrameHeader&, auto) {};
  transfers.send(0, header_of(FrameKind::evaluation, 10, 0), model(100'000, 1));
  transfers.carry_out({Instant(1s)}, nowhere);
  RandomStream random(3, 0, 0, Purpose::data);
  for (int k = 0; k < 20'000; ++k) {
    FrameHeader header = header_of(random.below(2) ? FrameKind::piece : FrameKind::take, 10, 0);
    header.slot = static_cast<std::uint32_t>(random.below(2) ? 256 + 7 : random.below(600));
    header.sequence = random.below(3) ? random.below(200'000) : ~std::uint64_t{0} - random.below(3);
    header.degree = random.below(2) ? static_cast<std::uint32_t>(random.below(200'000)) : ~std::uint32_t{0};
    // A frame of which the receiver claims to have all would be closed.
    header.due_ns = static_cast<std::int64_t>(random.below(100'000));
    const auto whole = transfers.hear(random.below(2), header, model(random.below(100), k), Instant(1s));
    CHECK_FALSE(whole);
    transfers.carry_out({Instant(2s)}, nowhere);
  }
}

TEST_CASE("transfer: a frame that is longer than it may be, or announced by another, is not taken") {
  const auto answers_to = [](FrameHeader header, PeerId claims_to_be) {
    Transfers receiver(1, 1 << 20, {run, 0, 0});
    header.payload_checksum = 1;
    std::array<std::byte, header_bytes> head{};
    encode_header(header, head);
    FrameHeader piece = header_of(FrameKind::evaluation, 10, claims_to_be);
    put(Piece{{FrameKind::evaluation, 10}, 0}, piece);
    receiver.hear(0, piece, head, Instant(1s));
    std::size_t answers = 0;
    receiver.carry_out({Instant(1s)}, [&](std::size_t, const FrameHeader&, auto) { ++answers; });
    return answers;
  };
  FrameHeader sound = header_of(FrameKind::evaluation, 10, 3);
  sound.payload_bytes = 1 << 20;
  CHECK(answers_to(sound, 3) == 2);  // heard, and the first piece is asked for
  CHECK(answers_to(sound, 2) == 0);
  FrameHeader longer = sound;
  longer.payload_bytes += 1;
  CHECK(answers_to(longer, 3) == 0);
}

}  // namespace hearsay::test::transfers_test

#include "runtime/record/json.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::records_test {

namespace {

PeerMeters some_meters() {
  PeerMeters meters;
  meters.now = Duration(123);
  meters.bytes_sent = std::uint64_t{1} << 60;
  meters.wait = Duration(-1);
  meters.counters = {5, 4, 3, 2, 1, 6, 7, 8, 9, 10, 11};
  meters.waits = WaitingTimes({{2, Duration(7)}, {9, Duration(8)}});
  meters.sent_to = SentBytes({{1, 12}, {9, std::uint64_t{1} << 59}});
  return meters;
}

PeerOutcome some_outcome() {
  PeerOutcome outcome;
  outcome.iterations = 7;
  outcome.meters = some_meters();
  outcome.model_digest = ~std::uint64_t{0};
  outcome.digests = {0x8000'0000'0000'0001u, {{3, 1}, {5, ~std::uint64_t{0}}}, {{4, 9}}};
  outcome.divergence = Divergence{6, "the model"};
  outcome.partings = {{3, 12, 20, 1.0 / 3.0}, {5, 13, Neighborhood::never, 0.25}};
  outcome.congestions = {"bbr", "cubic"};
  return outcome;
}

}  // namespace

TEST_CASE("records: a snapshot and an outcome come back as they were sent") {
  const Vector<float> model = Vector<float>::LinSpaced(5, -1.0f, 1.0f);
  const auto snapshot = decode_snapshot<float>(encode_snapshot(some_meters(), model), 5);
  REQUIRE(snapshot);
  CHECK(snapshot->model == model);
  CHECK(snapshot->meters.bytes_sent == some_meters().bytes_sent);
  CHECK(snapshot->meters.wait == some_meters().wait);
  CHECK(snapshot->meters.counters.overflow == 1);
  CHECK(snapshot->meters.counters.digests_compared == 8);
  CHECK(snapshot->meters.counters.digests_differed == 9);
  CHECK(snapshot->meters.counters.resyncs == 10);
  CHECK(snapshot->meters.counters.unfit_copies == 11);
  CHECK(snapshot->meters.waits.by_source() == some_meters().waits.by_source());
  CHECK(snapshot->meters.sent_to.by_hearer() == some_meters().sent_to.by_hearer());

  const auto outcome = decode_outcome(encode_outcome(some_outcome()));
  REQUIRE(outcome);
  CHECK(outcome->model_digest == some_outcome().model_digest);
  CHECK(outcome->digests.published == some_outcome().digests.published);
  CHECK(outcome->digests.replicas == some_outcome().digests.replicas);
  CHECK(outcome->digests.told == some_outcome().digests.told);
  CHECK(outcome->partings == some_outcome().partings);
  CHECK(outcome->congestions == some_outcome().congestions);
  REQUIRE(outcome->divergence);
  CHECK(outcome->divergence->iteration == 6);
}

TEST_CASE("records: a truncated, damaged or foreign payload is nothing, and never an exception") {
  const std::vector<std::byte> snapshot = encode_snapshot(some_meters(), Vector<double>::Zero(3).eval());
  CHECK(!decode_snapshot<double>(snapshot, 4));
  CHECK(!decode_snapshot<float>(snapshot, 3));
  for (std::size_t length = 0; length < snapshot.size(); ++length)
    CHECK(!decode_snapshot<double>(std::span(snapshot).first(length), 3));

  const std::vector<std::byte> outcome = encode_outcome(some_outcome());
  for (std::size_t length = 0; length < outcome.size(); ++length)
    CHECK(!decode_outcome(std::span(outcome).first(length)));
  RandomStream random(1, 0, 0, Purpose::data);
  for (int repetition = 0; repetition < 2000; ++repetition) {
    std::vector<std::byte> damaged = outcome;
    damaged[random.below(damaged.size())] = static_cast<std::byte>(random.bits());
    decode_outcome(damaged);  // must return, whatever the bytes are
  }
  // A well-formed payload of another kind.
  CHECK(!decode_outcome(encode_snapshot(some_meters(), Vector<double>::Zero(0).eval())));
}

}  // namespace hearsay::records_test

#include "runtime/observer/gathering.hpp"

#include <doctest/doctest.h>

#include "runtime/observer/meter_readings.hpp"

namespace hearsay::gathering_test {

namespace {

ToldModel<double> model(double entry) { return ToldModel<double>(Vector<double>::Constant(2, entry)); }

PeerMeters sent(std::uint64_t bytes) {
  PeerMeters meters;
  meters.bytes_sent = bytes;
  return meters;
}
ToldMeters told(std::uint64_t bytes) { return told_meters(sent(bytes)); }

}  // namespace

TEST_CASE("gathering: an evaluation is complete when all peers that it needs have told their models, once") {
  Gathering<double> gathering(3);
  for (const PeerId id : {2u, 0u}) gathering.add(id, 5, model(id), {});
  gathering.add(2, 10, model(7), {});
  CHECK_FALSE(gathering.take_if_complete(5));
  gathering.add(1, 5, model(1), {});
  const auto complete = gathering.take_if_complete(5);
  REQUIRE(complete);
  CHECK(complete->iteration == 5);
  for (const PeerId id : {0u, 1u, 2u}) CHECK(complete->models[id].all()[0] == id);
  CHECK_FALSE(gathering.take_if_complete(5));
  CHECK_FALSE(gathering.take_if_complete(10));
}

TEST_CASE("gathering: a dropped peer is missed nowhere, and what it told is forgotten") {
  Gathering<double> gathering(2);
  gathering.add(1, 5, model(1), {});
  gathering.drop(1);
  gathering.add(0, 5, model(0), {});
  const auto first = gathering.take_first_if_complete();
  REQUIRE(first);
  CHECK(first->count() == 1);
  CHECK_FALSE(first->models[1].is_there());
  for (const std::uint64_t iteration : {10u, 15u}) gathering.add(0, iteration, model(0), {});
  gathering.take_back(1, 15);
  CHECK_FALSE(gathering.needs(1, 10));
  CHECK(gathering.take_if_complete(10));
  CHECK_FALSE(gathering.take_if_complete(15));
}

TEST_CASE("gathering: an evaluation that only peers have told that are gone is made no more") {
  Gathering<double> gathering(2);
  gathering.add(1, 5, model(1), {});
  for (const PeerId id : {0u, 1u}) gathering.drop(id);
  gathering.take_back(0, 10);
  gathering.add(0, 10, model(0), {});
  const auto first = gathering.take_first_if_complete();
  REQUIRE(first);
  CHECK(first->iteration == 10);
}

TEST_CASE("gathering: while no peer counts, nothing is complete") {
  Gathering<double> gathering(2);
  gathering.add(0, 5, model(0), {});
  for (const PeerId id : {0u, 1u}) gathering.drop(id);
  CHECK_FALSE(gathering.take_first_if_complete());
}

TEST_CASE(
    "meter readings: of a peer that tells none the newest count, and a joiner goes on from its predecessor") {
  MeterReadings readings(2);
  readings.note(0, sent(100));
  readings.note(1, sent(10));
  CHECK(readings.together(5, {told(100), told(10)}).bytes_sent == 110);
  CHECK(readings.together(5, {told(200), std::nullopt}).bytes_sent == 210);
  readings.begin_anew(1);
  CHECK(readings.last()[1].bytes_sent == 0);
  readings.note(1, sent(5));
  CHECK(readings.together(10, {told(200), told(5)}).bytes_sent == 215);
}

}  // namespace hearsay::gathering_test

#include "tools/check/evaluation_time.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace hearsay::evaluation_time_test {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t parameters = 272'474;

RunSettings on_ten_megabits() {
  RunSettings settings;
  settings.network.bandwidth_up = settings.network.bandwidth_down = Bandwidth{1.25e6};
  settings.network.latency = 5ms;
  return settings;
}

}  // namespace

TEST_CASE(
    "evaluation time: the models of all peers pass the port of the observer, and a verdict comes back") {
  RunSettings settings = on_ten_megabits();
  const double models = 8 * (64 + 4.0 * parameters);
  EvaluationTraffic traffic = evaluation_traffic(settings, parameters, 8);
  CHECK(static_cast<double>(traffic.bytes_in) == models);
  CHECK(traffic.bytes_out == 8 * 64);
  CHECK(traffic.seconds == doctest::Approx((models + 8 * 64) / 1.25e6 + 0.010));
  settings.data.partition = "home";  // the mean model goes to every peer, and answers of 32 bytes come
  traffic = evaluation_traffic(settings, parameters, 8);
  CHECK(static_cast<double>(traffic.bytes_in) == models + 8 * (64 + 32));
  CHECK(static_cast<double>(traffic.bytes_out) == models + 8 * 64);
  CHECK(traffic.seconds == doctest::Approx((2 * models + 8 * (64 + 32) + 8 * 64) / 1.25e6 + 0.020));
  settings.run.evaluate = RunSettings::Run::Evaluate::own;
  traffic = evaluation_traffic(settings, parameters, 8);
  CHECK(traffic.bytes_in == 8 * 608);
  CHECK(traffic.seconds == doctest::Approx((8 * 608 + 8 * 64) / 1.25e6 + 0.010));
}

TEST_CASE("evaluation time: a model leaves through the port of its peer, a verdict comes in through it") {
  RunSettings settings = on_ten_megabits();
  settings.peer_networks[3] = settings.network;
  settings.peer_networks[3].bandwidth_up = Bandwidth{0.125e6};  // slower than eight models at the observer
  settings.peer_networks[3].latency = 25ms;
  const double model = 64 + 4.0 * parameters;
  EvaluationTraffic traffic = evaluation_traffic(settings, parameters, 8);
  CHECK(traffic.seconds == doctest::Approx(model / 0.125e6 + 0.025 + 8 * 64 / 1.25e6 + 0.005));
  CHECK(traffic.port_seconds ==
        doctest::Approx(8 * model / 1.25e6));  // the observer's port is the common one
  settings.peer_networks.at(3) = settings.network;
  settings.peer_networks.at(3).bandwidth_down = Bandwidth{64.0};  // a second for a verdict, the fourth one
  traffic = evaluation_traffic(settings, parameters, 8);
  CHECK(traffic.seconds == doctest::Approx(8 * model / 1.25e6 + 0.005 + 3 * 64 / 1.25e6 + 0.005 + 1.0));
  settings.peer_networks.clear();
  const double before = evaluation_traffic(settings, parameters, 8).seconds;
  settings.link_overrides = {
      {.from = 0, .to = 1, .latency = 1s, .bandwidth = {}}};  // no link of the method is the observer's
  CHECK(evaluation_traffic(settings, parameters, 8).seconds == before);
}

TEST_CASE("evaluation time: with framing, segments take their headers along") {
  RunSettings settings = on_ten_megabits();
  settings.framing = Framing::ethernet;
  const double bytes = 64 + 4.0 * parameters;
  const double segments = std::ceil(bytes / 1448);
  const EvaluationTraffic traffic = evaluation_traffic(settings, parameters, 8);
  CHECK(traffic.port_seconds == doctest::Approx(8 * (bytes + 66 * segments) / 1.25e6));
}

TEST_CASE("evaluation time: check says which share of the observer's port evaluations take") {
  RunSettings settings = on_ten_megabits();
  settings.run.evaluate_every = 10;
  const EvaluationTraffic traffic = evaluation_traffic(settings, parameters, 8);
  const std::string bytes =
      "every 10 iterations; one takes 8.72 MB into the observer's port and 512 bytes out of it";
  CHECK(evaluations_text(settings, traffic, 20.0) ==
        bytes + ", 6.99 s on this network, 3.5 % of the port's time, if network.evaluations were \"shaped\"");
  CHECK(evaluations_text(settings, traffic, std::nullopt) == bytes);
  settings.evaluations = EvaluationFrames::shaped;
  CHECK(evaluations_text(settings, traffic, 1.0) ==
        bytes + ", 6.99 s on this network, 70 % of the port's time");
  const RunSettings unlimited;
  CHECK(evaluations_text(unlimited, evaluation_traffic(unlimited, parameters, 8), 1.0) == bytes);
}

TEST_CASE("evaluation time: check warns above 5 % of the port, and names an evaluate_every that takes 5 %") {
  RunSettings settings = on_ten_megabits();
  settings.run.evaluate_every = 10;
  EvaluationTraffic traffic = evaluation_traffic(settings, parameters, 8);
  CHECK_FALSE(evaluations_warning(settings, traffic, 1.0));  // they pass no emulated link
  settings.evaluations = EvaluationFrames::shaped;
  CHECK_FALSE(evaluations_warning(settings, traffic, 14.0));
  CHECK_FALSE(evaluations_warning(settings, traffic, std::nullopt));
  const std::string expected =
      "evaluations take 70 % of the observer's port, and training may wait for them; expected "
      "run.evaluate_every = "
      "140 or more, which takes 5 %";
  CHECK(evaluations_warning(settings, traffic, 1.0) ==
        expected + ", or run.evaluate = \"own\", for which no model travels");
  settings.run.evaluate_every = 140;
  CHECK_FALSE(evaluations_warning(settings, traffic, 1.0));
  settings.run.evaluate_every = 1;
  settings.network.latency = 500ms;  // in which the port is free
  settings.run.evaluate = RunSettings::Run::Evaluate::own;
  traffic = evaluation_traffic(settings, parameters, 8);
  CHECK(traffic.seconds > 1.0);
  CHECK_FALSE(evaluations_warning(settings, traffic, 1.0));
}

}  // namespace hearsay::evaluation_time_test

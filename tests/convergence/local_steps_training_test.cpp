// Local steps on a9a: the orders of magnitude that an independent implementation has found.
#include <doctest/doctest.h>

#include <optional>
#include <string>

#include "tests/convergence/a9a.hpp"

namespace hearsay::test::local_steps_training_test {

namespace {

/// Ten local steps of 0.3 to a round, on data that are alike at all peers.
A9aRun rounds(const std::string& count, const std::string& algorithm) {
  return {algorithm + ", local_steps = 10", count, "0.3", "iid"};
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE(
      "a9a, iid: local steps that are mixed end near the optimum, and unmixed drift stays far from it") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    for (const std::string kind : {"d-psgd", "dcd-psgd", "ecd-psgd"}) {
      const std::string algorithm =
          "kind = \"" + kind + "\"" + (kind == "dcd-psgd" ? ", compressor = \"none\"" : "");
      CHECK(gap_of<double>(*data, rounds("200", algorithm)) < (kind == "ecd-psgd" ? 3e-4 : 2e-4));
    }
    CHECK(gap_of<double>(*data, rounds("200", "kind = \"d-psgd\", order = \"combine-then-adapt\"")) > 0.05);
  }

  TEST_CASE("a9a, iid: an outer Nesterov step is worth two orders of magnitude of gap after 100 rounds") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const double averaged = gap_of<double>(*data, rounds("100", "kind = \"local-sgd\""));
    CHECK(averaged > 4e-4);
    CHECK(averaged < 1.5e-3);
    CHECK(gap_of<double>(*data, rounds("100", "kind = \"slowmo\", outer = \"slowmo(0.7, 0.5)\"")) <
          0.6 * averaged);
    CHECK(gap_of<double>(*data, rounds("100", "kind = \"diloco\"")) < 2e-6);
  }

  TEST_CASE("a9a, iid: fragments and overlap cost streaming-diloco little, a share of the own model much") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const auto gap = [&](const std::string& options) {
      return gap_of<double>(*data, {"kind = \"streaming-diloco\", " + options, "100", "0.3", "iid"});
    };
    CHECK(gap("overlap = 0") < 4e-7);
    CHECK(gap("overlap = 2") < 1.5e-6);
    CHECK(gap("overlap = 1") < 7e-7);
    CHECK(gap("own_share = 0.1") > 3e-6);
    CHECK(gap("own_share = 0.5") > 1e-4);
  }

  TEST_CASE("a9a, iid: the accumulator of sparse-loco learns in two bits, and is no outer momentum") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const auto gap = [&](const std::string& options) {
      return gap_of<double>(*data,
                            {"kind = \"sparse-loco\", local_steps = 10" + options, "100", "1.0", "iid"});
    };
    const double two_bits = gap(", compressor = \"chunk-topk(4/41, values=2bit)\"");
    CHECK(two_bits < 2.5e-4);
    CHECK(two_bits > 1.5e-4);
    CHECK(gap(", compressor = \"chunk-topk(4/41, values=raw)\"") ==
          doctest::Approx(two_bits).epsilon(0.2).scale(0));
    // "The accumulator replaces the outer momentum" is not seen: less decay helps, and momentum helps more.
    CHECK(gap(", compressor = \"chunk-topk(4/41, values=2bit)\", error_decay = 1.0") < 0.8 * two_bits);
    CHECK(gap(", compressor = \"none\"") < two_bits);
    CHECK(gap(", compressor = \"none\", outer = \"nesterov(0.7, 0.9)\"") < 1e-2 * two_bits);
  }

  TEST_CASE("a9a, iid: gas-loc on a ring needs twice the rounds of diloco at most, as its authors say") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const double diloco = gap_of<double>(*data, rounds("100", "kind = \"diloco\""));
    CHECK(gap_of<double>(*data, rounds("100", "kind = \"gas-loc\"")) < 2 * diloco);
    const double plain = gap_of<double>(*data, rounds("100", "kind = \"gas-loc\", outer = \"none(0.7)\""));
    CHECK(plain > 100 * diloco);
  }

  TEST_CASE("a9a, iid: noloco by random pairs follows diloco with heavy ball, in a message instead of 14") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    A9aRun pairs = rounds("200", "kind = \"noloco\"");
    pairs.topology = "kind = \"complete\", peers = 8, schedule = \"random-matchings\"";
    const double diloco =
        gap_of<double>(*data, rounds("200", "kind = \"diloco\", outer = \"heavy-ball(0.7, 0.5)\""));
    const double noloco = gap_of<double>(*data, pairs);
    CHECK(noloco < 1.1 * diloco);
    CHECK(noloco > 0.9 * diloco);  // the authors' "4 % faster" is not seen here
  }

  TEST_CASE("a9a by label: gossip without momentum's help ends at a bias, with gas-loc, too") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    A9aRun ring = {"kind = \"gas-loc\", local_steps = 10", "100", "0.03"};
    A9aRun all = {"kind = \"diloco\", local_steps = 10", "100", "0.03"};
    const double everybody = gap_of<double>(*data, all);
    CHECK(everybody < 6e-3);
    CHECK(gap_of<double>(*data, ring) > 2 * everybody);
  }

  TEST_CASE(
      "a9a by label: corrected local steps go on to the optimum, at the pace of their paper's figures") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const auto gap = [&](const std::string& algorithm, const std::string& rounds, const std::string& eta) {
      A9aRun run = {algorithm, rounds, eta};
      run.topology = "kind = \"ring\", peers = 8, weights = \"" +
                     std::string(algorithm.find("led") == std::string::npos ? "metropolis" : "lazy") + "\"";
      return gap_of<double>(*data, run);
    };
    CHECK(gap("kind = \"k-gt\"", "100", "0.1") == doctest::Approx(1.54e-2).epsilon(0.05).scale(0));
    CHECK(gap("kind = \"k-gt\"", "400", "0.1") == doctest::Approx(1.80e-3).epsilon(0.05).scale(0));
    CHECK(gap("kind = \"led\"", "400", "0.3") < 3e-4);
    CHECK(gap("kind = \"nids\"", "500", "1.0") == doctest::Approx(2.16e-4).epsilon(0.05).scale(0));
    CHECK(gap("kind = \"extra\"", "500", "0.5") == doctest::Approx(1.127e-3).epsilon(0.05).scale(0));
  }

  TEST_CASE("a9a: demo's signed steps end at a floor, and the mean over the senders goes astray by label") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const auto gap = [&](const std::string& options, const std::string& eta, const std::string& partition,
                         const std::string& iterations) {
      return gap_of<double>(*data,
                            {"kind = \"demo\", compressor = \"dct(chunk=41) | chunk-topk(4/41)\", " + options,
                             iterations, eta, partition});
    };
    const std::string published = "signs = \"signed\", aggregate = \"senders-mean\"";
    CHECK(gap(published, "0.01", "iid", "200") == doctest::Approx(6.0e-4).epsilon(0.2).scale(0));
    CHECK(gap(published, "0.01", "by-label", "200") > 2e-2);
    CHECK(gap("signs = \"unsigned\"", "1.0", "iid", "200") ==
          doctest::Approx(1.73e-3).epsilon(0.05).scale(0));
    const std::string senders = "signs = \"unsigned\", aggregate = \"senders-mean\"";
    CHECK(gap(senders, "1.0", "iid", "200") < 4e-4);
    CHECK(gap(senders, "1.0", "by-label", "50") > 0.2);
    CHECK(gap(senders, "1.0", "by-label", "400") > 0.5);
  }
}

}  // namespace hearsay::test::local_steps_training_test

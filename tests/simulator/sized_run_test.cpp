#include "runtime/simulator/sized_run.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/chb.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/predictive_coding.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::sized_run_test {

namespace {

const std::string network =
    "network = { bandwidth = \"10 Mbit/s\", latency = \"5 ms\", jitter = \"1 ms\", compute = \"lognormal(20 "
    "ms, "
    "0.5)\", peer = [{ id = 1, bandwidth = \"2 Mbit/s\" }] }\n";

RunSettings settings_of(const std::string& model, const std::string& more) {
  const bool with_network = more.find("network") == std::string::npos;
  return parse_run("model.kind = \"" + model + "\"\n" + (with_network ? network : "") + more, ".", {},
                   "sized.toml");
}

/// Everything of an outcome that a size has: times and bytes.
struct TimesAndBytes {
  double seconds;
  std::vector<std::uint64_t> bytes, messages, gradients;
  bool operator==(const TimesAndBytes&) const = default;
};

template <class Scalar>
TimesAndBytes times_and_bytes(const RunOutcome<Scalar>& outcome) {
  TimesAndBytes result{.seconds = outcome.seconds, .bytes = {}, .messages = {}, .gradients = {}};
  for (const auto& peer : outcome.peers) {
    result.bytes.push_back(peer.meters.bytes_sent);
    result.messages.push_back(peer.meters.messages_sent);
    result.gradients.push_back(peer.meters.counters.gradient_evaluations);
  }
  return result;
}

template <class Scalar>
TimesAndBytes of_size(const std::string& dimension, const std::string& more) {
  return times_and_bytes(sized_run<Scalar>(settings_of("size(" + dimension + ")", more)).traced.outcome);
}

template <class Scalar>
TimesAndBytes of_quadratic(const std::string& dimension, const std::string& more) {
  return times_and_bytes(
      simulate(prepare<Scalar>(settings_of("quadratic(" + dimension + ")", more)), Duration{0}));
}

std::string method_text(const MethodInfo& method) {
  return "run.iterations = 4\ntopology = { peers = 4 }\nalgorithm = { kind = \"" + method.name +
         "\", step_size = 0.01, allow_unsound = true }\n";
}

}  // namespace

TEST_CASE("sized run: every synchronous method takes the time and the bytes of a model of that size") {
  int tried = 0;
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous || method.options.has(option::rank) || method.options.has(option::estimator) ||
        !method.trains || method.options.has(option::threshold) || method.options.has(option::predictors))
      continue;
    CAPTURE(method.name);
    ++tried;
    // A model of at most two stand-ins is trained itself.
    CHECK(of_size<float>("100", method_text(method)) == of_quadratic<float>("100", method_text(method)));
    // Beyond that a share of the coordinates, or of the peers, is rounded otherwise.
    const TimesAndBytes sized = of_size<float>("40960", method_text(method));
    const TimesAndBytes trained = of_quadratic<float>("40960", method_text(method));
    CHECK(sized.messages == trained.messages);
    CHECK(sized.gradients == trained.gradients);
    CHECK(sized.seconds == doctest::Approx(trained.seconds).epsilon(1e-3));
    for (std::size_t i = 0; i < sized.bytes.size(); ++i)
      CHECK(static_cast<double>(sized.bytes[i]) ==
            doctest::Approx(static_cast<double>(trained.bytes[i])).epsilon(1e-3));
  }
  CHECK(tried >= 30);
}

TEST_CASE("sized run: exact where buckets, chunks, fragments and shares divide the model") {
  for (const std::string more :
       {"algorithm = { kind = \"dcd-psgd\", compressor = \"dither(linf, bits=4, bucket=512)\" }\n",
        "algorithm = { kind = \"dcd-psgd\", compressor = \"dither(linf, bits=8)\", local_steps = 3 }\n",
        "algorithm = { kind = \"sparse-loco\", compressor = \"chunk-topk(64/4096, values=2bit)\" }\n",
        "algorithm = { kind = \"choco-sgd\", compressor = \"topk(12.5%)\" }\n",
        "algorithm = { kind = \"d-psgd\", step_size = 100.0 }\n",
        "algorithm = { kind = \"streaming-diloco\", fragments = 4, local_steps = 8, overlap = 1 }\n",
        "algorithm.kind = \"noloco\"\ntopology.schedule = \"random-matchings\"\n"}) {
    CAPTURE(more);
    const std::string text = "run.iterations = 5\ntopology.peers = 4\n" + more;
    CHECK(of_size<float>("49152", text) == of_quadratic<float>("49152", text));
  }
}

TEST_CASE("sized run: stand-ins are as long as a chunk, and what does not follow from them is refused") {
  const auto text = [](const std::string& compressor) {
    return "run.iterations = 3\ntopology.peers = 4\nalgorithm = { kind = \"choco-sgd\", compressor = \"" +
           compressor + "\" }\n";
  };
  for (const std::string compressor : {"chunk-topk(64/65536)", "topk(0.1%)", "chunk-topk(64/5000)"}) {
    CAPTURE(compressor);
    const TimesAndBytes sized = of_size<float>("655360", text(compressor));
    const TimesAndBytes trained = of_quadratic<float>("655360", text(compressor));
    CHECK(sized.seconds == doctest::Approx(trained.seconds).epsilon(0.02));
    CHECK(static_cast<double>(sized.bytes[0]) ==
          doctest::Approx(static_cast<double>(trained.bytes[0])).epsilon(0.02));
  }
  CHECK_THROWS_AS(of_size<float>("7e9", text("topk(0.0001%)")), Misuse);
}

TEST_CASE("sized run: what is too large for a record is refused, not wrapped") {
  const std::string slow =
      "network = { compute = \"20 ms\", bandwidth = \"1 kbit/s\" }\nalgorithm.kind = \"d-psgd\"\n";
  CHECK_THROWS_AS(of_size<float>("1e13", slow + "run.iterations = 3\n"), Misuse);
  const std::string fast = "network = { compute = \"20 ms\" }\nalgorithm.kind = \"d-psgd\"\n";
  CHECK_THROWS_AS(of_size<float>("1e13", fast + "run.iterations = 200000\nrun.evaluate_every = 100000\n"),
                  Misuse);
  // Each of eight peers fits, and all of them together do not.
  CHECK_THROWS_AS(of_size<float>("1e13", fast + "run.iterations = 50000\nrun.evaluate_every = 50000\n"),
                  Misuse);
}

TEST_CASE("sized run: seven billion parameters take messages of 28 GB, and no memory") {
  const TimesAndBytes run = of_size<float>(
      "7e9", "run.iterations = 2\ntopology.peers = 4\nalgorithm = { kind = \"d-psgd\", step_size = 0.1 }\n");
  for (const std::uint64_t bytes : run.bytes) CHECK(bytes == 2u * 2u * (4u * 7'000'000'000ull + 64u));
}

TEST_CASE("sized run: evaluations have times and bytes, and no loss") {
  const auto run = sized_run<float>(
      settings_of("size(1e6)", "run.iterations = 4\nrun.evaluate_every = 2\nalgorithm.kind = \"d-psgd\"\n"));
  REQUIRE(run.traced.outcome.evaluations.size() == 3);
  for (const Evaluation& evaluation : run.traced.outcome.evaluations) {
    CHECK(std::isnan(evaluation.loss));
    CHECK_FALSE(evaluation.accuracy);
  }
  CHECK(run.traced.outcome.evaluations.back().seconds > 0.0);
}

TEST_CASE("sized run: what needs a model is refused") {
  const auto refusal = [](const std::string& more) {
    try {
      sized_run<float>(settings_of("size(1e6)", more));
    } catch (const Misuse& misuse) {
      return std::string(misuse.what());
    }
    return std::string();
  };
  CHECK(refusal("run.target_loss = 0.5\n").find("has no loss; leave it out") != std::string::npos);
  for (const std::string key :
       {"data.partition = \"by-label\"", "data.order = \"shuffled\"", "run.keep = \"best\"",
        "algorithm.batch = \"full\"", "model.init = \"x.npy\""})
    CHECK(refusal(key + "\n").find("only a size") != std::string::npos);
  CHECK(refusal("algorithm = { kind = \"choco-sgd\", trigger = 3.0 }\n").find("the values of the model") !=
        std::string::npos);
  CHECK(refusal("algorithm = { kind = \"dcd-psgd\", compressor = \"grid(step=0.01)\", "
                "side_information = \"last\" }\n")
            .find("the values of the model") != std::string::npos);
  CHECK(refusal("run.epochs = 3\n").find("expected run.iterations") != std::string::npos);
  CHECK(refusal("network.compute = \"measured\"\n").find("how long a gradient takes") != std::string::npos);
  CHECK(refusal("algorithm.kind = \"ad-psgd\"\n").find("when messages arrive") != std::string::npos);
  CHECK(refusal("algorithm.kind = \"powersgd\"\n").find("matrices") != std::string::npos);
}

TEST_CASE("sized run: overlap hides the sums of streaming-diloco at a tenth of the bandwidth of diloco") {
  // Douillard et al. 2025: with sums that travel during local steps peers compute nearly all the time at a
  // bandwidth that makes them wait a third of it otherwise. A sum on a ring of 8 has 14 hops.
  const auto share = [](const std::string& algorithm, const std::string& bandwidth) {
    const auto run = sized_run<float>(settings_of(
        "size(1e9)", "network = { compute = \"1 s\", latency = \"10 ms\", bandwidth = \"" + bandwidth +
                         "\" }\nrun = { iterations = 2, evaluate_every = 2 }\ntopology.peers = 8\n"
                         "algorithm = { " +
                         algorithm + " }\n"));
    const Evaluation& end = run.traced.outcome.evaluations.back();
    return end.compute_seconds / end.seconds;
  };
  const std::string diloco = "kind = \"diloco\", local_steps = 100";
  const std::string streaming = "kind = \"streaming-diloco\", local_steps = 100, fragments = 4, overlap = ";
  CHECK(share(diloco, "1 Gbit/s") < 0.7);
  CHECK(share(diloco, "10 Gbit/s") > 0.94);
  CHECK(share(streaming + "0", "1 Gbit/s") < 0.7);
  CHECK(share(streaming + "14", "1 Gbit/s") > 0.99);
  CHECK(share("kind = \"local-sgd\", local_steps = 1", "100 Gbit/s") < 0.6);
}

TEST_CASE("sized run: a synchronisation in pairs takes as long with many peers as with few, a tree's grows") {
  // Kolehmainen et al. 2025: a tree waits for log2 n messages, each the slowest of many.
  const auto seconds = [](int peers, int rounds, const std::string& method) {
    return of_size<float>(
               "1e6",
               "network = { compute = \"0 s\", latency = \"10 ms\", jitter = \"100 ms\" }\n"
               "run.iterations = " +
                   std::to_string(rounds) + "\n" +
                   "topology = { kind = \"hypercube\", schedule = \"hypercube-matchings\", peers = " +
                   std::to_string(peers) + " }\nalgorithm = { " + method + " }\n")
        .seconds;
  };
  const std::string pairs = "kind = \"noloco\", local_steps = 1";
  CHECK(seconds(256, 1, pairs) < 1.3 * seconds(8, 1, pairs));
  CHECK(seconds(256, 8, "kind = \"d-psgd\"") > 2.5 * seconds(8, 3, "kind = \"d-psgd\""));
  CHECK(seconds(256, 8, "kind = \"d-psgd\"") > 5.0 * seconds(256, 1, pairs));
}

}  // namespace hearsay::sized_run_test

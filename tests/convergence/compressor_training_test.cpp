// Every registered compressor trains real models, with a method that it suits.
#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/compression/registry.hpp"
#include "algorithms/methods/parts/feedback.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/process.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::compressor_training_test {

namespace {

constexpr double tolerance = 0.05;  // relative to the uncompressed loss after as many iterations

struct TrainingProblem {
  std::string name;
  std::string run_file;  ///< all but the algorithm's kind and compressor
};

std::vector<TrainingProblem> problems(const std::string& data) {
  const std::string ring = "topology = { kind = \"ring\", peers = 8, weights = \"lazy\" }\n";
  return {{"a9a",
           "run = { iterations = 400, evaluate_every = 400 }\n"
           "data = { source = \"libsvm:" +
               data +
               "/a9a.gz\", partition = \"iid\" }\n"
               "model = { kind = \"logistic\", l2 = 1e-4 }\n" +
               ring + "algorithm.step_size = 0.5\nalgorithm.batch = 16\n"},
          {"MNIST",
           "run = { iterations = 300, evaluate_every = 300 }\n"
           "data = { source = \"idx:" +
               data + "/t10k-images-idx3-ubyte.gz," + data +
               "/t10k-labels-idx1-ubyte.gz\", partition = \"iid\" }\n"
               "model = { kind = \"softmax\", l2 = 1e-4 }\n" +
               ring + "algorithm.step_size = 0.1\nalgorithm.batch = 8\n"}};
}

/// A compressor and its feedback. The name is one word, since lines of words go through a pipe.
struct Candidate {
  std::string name;
  std::string compressor;
  std::string feedback = "auto";
  bool gossips = true;  ///< try dcd-psgd first, which asks more of a compressor
};

/// Returns every registered compressor, and published systems.
std::vector<Candidate> candidates() {
  std::vector<Candidate> all;
  for (const CompressorName& entry : compressor_names())
    all.push_back({std::string(entry.name), std::string(entry.example)});
  for (Candidate& candidate : all)
    if (candidate.name == "scalecom") candidate.feedback = "low-pass(0.1)";
  all.push_back({"QSGD", "qsgd(bits=4, bucket=512)", "none", false});
  all.push_back({"TernGrad", "terngrad", "none", false});
  all.push_back({"TernGrad-clipped", "terngrad(clip=2.5sigma)", "ef", false});
  all.push_back({"ScaleCom-5%", "scalecom(5%)", "low-pass(0.1)", false});
  all.push_back({"DGD-DEF", "fwht(block=4096) | nearest(bits=3)", "dgd-def", false});
  return all;
}

/// Candidates that are not within the tolerance, and the reason, by (problem, name).
const std::map<std::pair<std::string, std::string>, std::string> exceptions = {
    {{"MNIST", "scalecom"},
     "0.1 % of 7,840 parameters are 8 a step, and low-pass(0.1) remembers a tenth of the others: the "
     "defaults are those of "
     "models with millions of parameters (at 5 %, or 1 % with ef, it is within)"},
};

/// Trains on a problem with every `step`-th candidate from `first` on. The text has a line for each: name,
/// method, loss, and loss without compression.
Ended train(const TrainingProblem& problem, std::size_t first, std::size_t step) {
  std::ostringstream lines;
  std::map<std::string, double> uncompressed;
  const auto loss_of = [&](const std::string& method, const std::string& compressor,
                           const std::string& feedback) {
    const auto experiment = experiment_from<float>(problem.run_file + "algorithm.kind = \"" + method +
                                                   "\"\nalgorithm.compressor = \"" + compressor +
                                                   "\"\nalgorithm.feedback = \"" + feedback + "\"\n");
    return simulate(experiment, Duration{0}).evaluations.back().loss;
  };
  const std::vector<Candidate> all = candidates();
  for (std::size_t k = first; k < all.size(); k += step) {
    std::string method = "dcd-psgd";
    std::optional<double> loss;
    try {
      if (all[k].gossips) loss = loss_of(method, all[k].compressor, "auto");
    } catch (const Misuse&) {
    }
    if (!loss) {
      method = "qsgd-allreduce";
      loss = loss_of(method, all[k].compressor, all[k].feedback);
    }
    if (!uncompressed.contains(method)) uncompressed[method] = loss_of(method, "none", "auto");
    lines << all[k].name << ' ' << method << ' ' << *loss << ' ' << uncompressed[method] << '\n';
  }
  return {0, lines.str()};
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE(
      "training: every compressor ends within 5 % of the uncompressed loss, or is a registered exception") {
    const char* const data = std::getenv("HEARSAY_DATA_DIR");
    if (data == nullptr) {
      MESSAGE("skipped: training with every compressor (HEARSAY_DATA_DIR is not set)");
      return;
    }
    constexpr std::size_t processes = 2;
    std::set<std::pair<std::string, std::string>> seen;
    for (const TrainingProblem& problem : problems(data)) {
      std::vector<Process> workers;
      for (std::size_t k = 0; k < processes; ++k)
        workers.emplace_back([&] { return train(problem, k, processes); });
      std::size_t trained = 0;
      for (const Process& worker : workers) {
        const Ended ended = worker.join();
        REQUIRE(ended.exit_code == 0);
        std::istringstream lines(ended.text);
        for (std::string name, method; lines >> name >> method; ++trained) {
          double loss = std::numeric_limits<double>::quiet_NaN();
          double uncompressed = loss;
          lines >> loss >> uncompressed;
          seen.insert({problem.name, name});
          CAPTURE(problem.name);
          CAPTURE(name);
          CAPTURE(method);
          CAPTURE(uncompressed);
          const auto exception = exceptions.find({problem.name, name});
          if (exception == exceptions.end()) {
            CHECK(loss <= (1 + tolerance) * uncompressed);
          } else {
            MESSAGE(problem.name << ", " << name << ": loss " << loss << " instead of " << uncompressed
                                 << "; " << exception->second);
            CHECK(loss > (1 + tolerance) * uncompressed);  // otherwise it is no exception any more
          }
        }
      }
      CHECK(trained == candidates().size());
    }
    for (const auto& exception : exceptions) CHECK(seen.contains(exception.first));
  }
}

}  // namespace hearsay::test::compressor_training_test

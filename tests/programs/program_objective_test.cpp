#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::program_objective_test {

namespace {

constexpr Index dimension = 6;
constexpr Index sample_count = 12;

/// The objective of answering_program.c, in C++.
class Twin final : public Objective<float> {
 public:
  explicit Twin(PeerId peer) : peer_(peer) {}
  Index dimension() const override { return program_objective_test::dimension; }
  Index sample_count() const override { return program_objective_test::sample_count; }
  double loss(const Vector<float>& x) const override {
    double loss = 0.0;
    for (Index s = 0; s < program_objective_test::sample_count; ++s)
      for (Index k = 0; k < program_objective_test::dimension; ++k) {
        const double gap = static_cast<double>(x[k]) - target(s, k);
        loss += 0.5 * gap * gap;
      }
    return loss / static_cast<double>(program_objective_test::sample_count);
  }
  void gradient(const Vector<float>& x, std::span<const Index> samples,
                Vector<float>& gradient) const override {
    for (Index k = 0; k < program_objective_test::dimension; ++k) {
      double sum = 0.0;
      for (const Index s : samples) sum += static_cast<double>(x[k]) - target(s, k);
      gradient[k] = samples.empty() ? 0.0f : static_cast<float>(sum / static_cast<double>(samples.size()));
    }
  }

 private:
  double target(Index s, Index k) const {
    return static_cast<double>((7 * s + 3 * k + 5 * peer_) % 11) / 8.0;
  }

  Index peer_;
};

/// A folder in which programs of answering_program.c run.
struct Scene {
  TemporaryFolder folder{"hearsay_program"};

  RunSettings settings(const std::string& fault = "none", const std::string& method = "dcd-psgd") const {
    RunSettings settings;
    settings.run.iterations = 12;
    settings.run.evaluate_every = 4;
    settings.topology.kind = "ring";
    settings.topology.peers = 3;
    settings.algorithm.kind = method;
    settings.algorithm.step_size = 0.05;
    settings.algorithm.batch = 4;
    settings.algorithm.allow_unsound = true;
    settings.model.kind = "program";
    settings.model.program = {HEARSAY_ANSWERING_PROGRAM, fault};
    settings.model.directory = folder.path();
    settings.run.output = folder.path() / "output";
    return settings;
  }
  /// Returns the Misuse with which a run with this fault is refused.
  std::string refusal(const std::string& fault) const {
    return misuse_text([&] { prepare<float>(settings(fault)); });
  }
};

Experiment<float> twin_of(RunSettings settings) {
  settings.model = {};
  Problem<float> problem;
  for (PeerId id = settings.topology.hub == HubData::none ? 1 : 0; id < settings.topology.peers; ++id)
    problem.objectives.push_back(std::make_unique<Twin>(id));
  problem.initial = Vector<float>::LinSpaced(dimension, 1.0f, static_cast<float>(dimension));
  return prepare<float>(settings, std::move(problem));
}

void check_same_losses(const RunResult& one, const RunResult& other) {
  CHECK_MESSAGE(one.status == other.status, one.reason);
  REQUIRE(one.evaluations.size() == other.evaluations.size());
  for (std::size_t k = 0; k < one.evaluations.size(); ++k) {
    CHECK(one.evaluations[k].loss == other.evaluations[k].loss);
    CHECK(one.evaluations[k].consensus_distance == other.evaluations[k].consensus_distance);
    CHECK(one.evaluations[k].epoch == other.evaluations[k].epoch);
  }
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "program: one in C, written from the README, trains as the same objective in C++ does, bit for bit") {
    const Scene scene;
    for (const std::string method :
         {"dcd-psgd", "d-psgd", "beer", "gradient-tracking", "dpsvrg", "choco-sgd", "allreduce-sgd"}) {
      CAPTURE(method);
      const RunSettings settings = scene.settings("none", method);
      const auto program = prepare<float>(settings);
      const RunOutcome<float> simulated = simulate(program, Duration{1000});
      const RunOutcome<float> twin = simulate(twin_of(settings), Duration{1000});
      check_same_losses(simulated, twin);
      CHECK(simulated.mean_model == twin.mean_model);
      CHECK(simulated.judged.count == 18);
      const RunOutcome<float> run = run_local(program);
      check_same_losses(run, twin);
      CHECK(run.mean_model == twin.mean_model);
      CHECK(run.evaluations.back().accuracy == simulated.evaluations.back().accuracy);
    }
  }

  TEST_CASE(
      "program: that of a dedicated hub is asked nothing, and the workers' train as in C++, bit for bit") {
    const Scene scene;
    for (const std::string method : {"fed-avg", "artemis", "cd-adam"}) {
      CAPTURE(method);
      RunSettings settings = scene.settings("none", method);
      settings.topology.kind = "auto";
      settings.topology.peers = 4;
      settings.topology.hub = HubData::none;
      const auto program = prepare<float>(settings);
      CHECK(program.problem.worker_count() == 3);
      REQUIRE(!program.warnings.empty());
      CHECK(contains(program.warnings.back(), "the program of peer 0 has 12 samples"));
      const RunOutcome<float> simulated = simulate(program, Duration{1000});
      const RunOutcome<float> twin = simulate(twin_of(settings), Duration{1000});
      check_same_losses(simulated, twin);
      CHECK(simulated.mean_model == twin.mean_model);
      CHECK(simulated.judged.count == 18);
      CHECK(simulated.loss_samples == 36);
      const RunOutcome<float> run = run_local(program);
      check_same_losses(run, twin);
      CHECK(run.mean_model == twin.mean_model);
      CHECK(run.peers[0].meters.counters.gradient_evaluations == 0);
      CHECK(run.evaluations.back().accuracy == simulated.evaluations.back().accuracy);
    }
  }

  TEST_CASE("program: with local steps and full gradients, too") {
    const Scene scene;
    RunSettings settings = scene.settings("none", "d-psgd");
    settings.algorithm.options.set(option::local_steps, 4);
    check_same_losses(simulate(prepare<float>(settings), Duration{1000}),
                      simulate(twin_of(settings), Duration{1000}));
    settings.algorithm.options.clear(option::local_steps);
    settings.algorithm.batch.reset();
    check_same_losses(simulate(prepare<float>(settings), Duration{1000}),
                      simulate(twin_of(settings), Duration{1000}));
  }

  TEST_CASE("program: an asynchronous method answers its neighbors while a program computes") {
    const Scene scene;
    const RunOutcome<float> outcome = run_local(prepare<float>(scene.settings("none", "ad-psgd")));
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.evaluations.back().loss < outcome.evaluations.front().loss);
  }

  TEST_CASE("program: what it says when it fails, leaves, or breaks the protocol is why the run ends") {
    const Scene scene;
    const std::string at = "peer 1: its objective failed in iteration 5: ";
    for (const auto& example :
         {std::pair{"fail", "ValueError: a bad sample"}, std::pair{"leave", "left at iteration 5"},
          std::pair{"exit", "its program has ended, with exit code 1"},
          std::pair{"lie", "its program does not keep to the protocol"}}) {
      const auto [fault, words] = example;
      CAPTURE(example.first);
      const auto experiment = prepare<float>(scene.settings(fault));
      const RunOutcome<float> run = run_local(experiment);
      CHECK(run.status == RunStatus::lost);
      CHECK(run.reason == at + words);
      const RunOutcome<float> simulated = simulate(prepare<float>(scene.settings(fault)), Duration{1000});
      CHECK(simulated.status == RunStatus::lost);
      CHECK(simulated.reason == at + words);
    }
  }

  TEST_CASE(
      "program: one that ends by itself between two questions is not started anew, and its words count") {
    for (const auto& example : {std::pair{"leave-between", "KeyError: 7"},
                                std::pair{"exit-between", "its program has ended, with exit code 7"}}) {
      const std::string fault = example.first;
      CAPTURE(fault);
      const Scene scene;
      for (const bool simulated : {false, true}) {
        const auto experiment = prepare<float>(scene.settings(fault));
        const RunOutcome<float> outcome =
            simulated ? simulate(experiment, Duration{1000}) : run_local(experiment);
        CHECK(outcome.status == RunStatus::lost);
        // The next question is on iteration 6, or on the evaluation that is under way.
        const auto failed_in = [&example](const std::string& when) {
          return "peer 1: its objective failed in " + when + ": " + example.second;
        };
        CHECK_MESSAGE((outcome.reason == failed_in("iteration 6") ||
                       outcome.reason == failed_in("the evaluation of iteration 4")),
                      outcome.reason);
        CHECK(experiment.problem.program_restarts().empty());
      }
    }
  }

  TEST_CASE("program: one that does not answer within model.answer_within ends the run, and is named") {
    const Scene scene;
    RunSettings settings = scene.settings("slow");
    settings.model.answer_within = std::chrono::milliseconds(300);
    for (const bool simulated : {false, true}) {
      const auto experiment = prepare<float>(settings);
      const RunOutcome<float> outcome =
          simulated ? simulate(experiment, Duration{1000}) : run_local(experiment);
      CHECK(outcome.status == RunStatus::lost);
      CHECK(
          outcome.reason ==
          "peer 1: its objective failed in iteration 5: the program of peer 1 has not answered the question "
          "for the gradient of iteration 5 within 300 ms (model.answer_within)");
    }
  }

  TEST_CASE("program: under drop, one that fails or does not answer leaves with its peer") {
    const Scene scene;
    for (const std::string fault : {"fail", "leave-between", "exit", "slow"}) {
      CAPTURE(fault);
      RunSettings settings = scene.settings(fault);
      settings.model.answer_within = std::chrono::milliseconds(300);
      settings.failure.policy = RunSettings::Failure::Policy::drop;
      const RunOutcome<float> outcome = run_local(prepare<float>(settings));
      CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
      REQUIRE(outcome.dropped.size() == 1);
      CHECK(outcome.dropped[0] == 1);
      settings.failure.program = RunSettings::Failure::Program::end;
      CHECK(run_local(prepare<float>(settings)).status == RunStatus::lost);
    }
  }

  TEST_CASE("program: a gradient that is not finite is told with its peer, iteration, coordinate and layer") {
    const Scene scene;
    for (const auto& [fault, what] :
         {std::pair{"nan-gradient", "no number"}, std::pair{"inf-gradient", "infinite"}})
      for (const bool simulated : {false, true}) {
        const auto experiment = prepare<float>(scene.settings(fault));
        const RunOutcome<float> outcome =
            simulated ? simulate(experiment, Duration{1000}) : run_local(experiment);
        CHECK(outcome.status == RunStatus::diverged);
        CHECK(outcome.reason == "the gradient left the finite range: it is " + std::string(what) +
                                    " in coordinate 3, of layer parameters (peer 1, iteration 5)");
      }
  }

  TEST_CASE("program: one that asks the run to end interrupts it, as Ctrl-C does") {
    const Scene scene;
    CHECK(run_local(prepare<float>(scene.settings("stop"))).status == RunStatus::interrupted);
    CHECK(simulate(prepare<float>(scene.settings("stop")), Duration{1000}).status == RunStatus::interrupted);
  }

  TEST_CASE("program: one that is killed is started anew and asked again, and no bit changes") {
    const Scene scene;
    const auto undisturbed = simulate(prepare<float>(scene.settings()), Duration{1000});
    for (const char* const mark : {"started-0", "started-1", "started-2"})
      std::filesystem::remove(scene.folder.path() / mark);
    std::vector<std::string> told;
    const Home home{.notice = [&](const std::string& sentence) { told.push_back(sentence); }};
    const auto experiment = prepare<float>(scene.settings("crash-once"), home);
    const RunOutcome<float> run = run_local(experiment);
    check_same_losses(run, undisturbed);
    CHECK(run.mean_model == undisturbed.mean_model);
    CHECK(run.restarts == 0);  // of peers: the neighbors have noticed nothing
    REQUIRE(experiment.problem.program_restarts().size() == 1);
    CHECK(experiment.problem.program_restarts()[0].peer == 1);
    CHECK(experiment.problem.program_restarts()[0].iteration == 5);
    REQUIRE(told.size() == 0);  // in this process: a forked one has told it
    for (const char* const mark : {"started-0", "started-1", "started-2"})
      std::filesystem::remove(scene.folder.path() / mark);
    check_same_losses(simulate(prepare<float>(scene.settings("crash-once"), home), Duration{1000}),
                      undisturbed);
    REQUIRE(told.size() == 1);
    CHECK(told.front() ==
          "the program of peer 1 was killed by signal 9 (Killed); it is started anew, and asked for the "
          "gradient of iteration 5 again");
    for (const char* const mark : {"started-0", "started-1", "started-2"})
      std::filesystem::remove(scene.folder.path() / mark);
    check_same_losses(run_local(prepare<float>(scene.settings("kill-between"))), undisturbed);
  }

  TEST_CASE("program: one that ends at the same question three times ends the run") {
    const Scene scene;
    const RunOutcome<float> run = run_local(prepare<float>(scene.settings("crash")));
    CHECK(run.status == RunStatus::lost);
    CHECK(
        run.reason ==
        "peer 1: its objective failed in iteration 5: its program has ended 3 times at the same question, by "
        "signal 9 (Killed)");
  }

  TEST_CASE("program: one that has closed its socket is ended, and another takes its place") {
    const Scene scene;
    const auto undisturbed = simulate(twin_of(scene.settings()), Duration{1000});
    const auto experiment = prepare<float>(scene.settings("deaf"));
    check_same_losses(run_local(experiment), undisturbed);
    std::string number, name, state;
    std::ifstream(scene.folder.path() / "deaf") >> number;
    std::ifstream("/proc/" + number + "/stat") >> number >> name >> state;
    CHECK((state == "" || state == "Z"));
  }

  TEST_CASE("program: a loss that is no number is told with the peer that computes it") {
    const Scene scene;
    for (const auto run :
         {+[](const Experiment<float>& experiment) { return run_local(experiment); },
          +[](const Experiment<float>& experiment) { return simulate(experiment, Duration{1000}); }}) {
      const RunOutcome<float> outcome = run(prepare<float>(scene.settings("nan")));
      CHECK(outcome.status == RunStatus::diverged);
      CHECK(outcome.reason ==
            "the loss left the finite range by iteration 0: the loss that peer 1 computes is no number");
    }
  }

  TEST_CASE("program: one that begins elsewhere when it is started anew ends the run") {
    const Scene scene;
    const RunOutcome<float> run = run_local(prepare<float>(scene.settings("forget")));
    CHECK(run.status == RunStatus::lost);
    CHECK(run.reason.find("its program, started anew, begins at another x_0") != std::string::npos);
  }

  TEST_CASE("program: what cannot train together is refused before the run, in a sentence") {
    const Scene scene;
    for (const auto& [fault, words] :
         {std::pair{"elsewhere", "peer 1's model begins elsewhere than the first one's"},
          std::pair{"larger", "peer 1's model has 7 parameters, and the first one's 6"},
          std::pair{"layers", "peer 1's model has other layers than the first one's"},
          std::pair{"double", "run.scalar = \"float\": the program computes in double"},
          std::pair{"mask",
                    "peer 1's model has mask: another buffer, and the first one mask: a buffer; expected the "
                    "same at "
                    "all peers: whatever its output depends on, beside x and the data"},
          std::pair{"more", "peer 1's model has more, which the first one has not"},
          std::pair{"garbled", "has said something else than that its x_0 is there"},
          std::pair{"bad-hello", "it speaks another protocol; expected \"protocol\": 1"},
          std::pair{"mute", "has ended before its hello, with exit code 1"}}) {
      CHECK(contains(scene.refusal(fault), words));
    }
    RunSettings settings = scene.settings();
    settings.model.program = {"/nowhere/program"};
    CHECK(contains(misuse_text([&] { prepare<float>(settings); }), "No such file or directory"));
    settings.model.program.clear();
    CHECK(
        contains(misuse_text([&] { prepare<float>(settings); }), "model.program = []: expected the command"));
    settings = scene.settings();
    settings.model.directory = "/nowhere";
    CHECK(contains(misuse_text([&] { prepare<float>(settings); }), "there is no such folder"));
    settings = scene.settings();
    settings.data.test = "csv:x";
    CHECK(contains(misuse_text([&] { prepare<float>(settings); }), "brings its own data and model"));
    settings = scene.settings();
    settings.run.evaluate = RunSettings::Run::Evaluate::peers;
    CHECK(contains(misuse_text([&] { prepare<float>(settings); }),
                   "run.evaluate = \"peers\": the data are at home"));
  }

  TEST_CASE("program: gradients that do not repeat are refused with checkpoints, and else warned of") {
    const Scene scene;
    RunSettings settings = scene.settings("random");
    const auto experiment = prepare<float>(settings);
    const auto says_so = [](const std::string& text) {
      return contains(text, "does not give the same gradient twice (coordinate 0: ");
    };
    CHECK(std::ranges::any_of(experiment.warnings, says_so));
    settings.failure.checkpoint_every = 4;
    CHECK(says_so(misuse_text([&] { prepare<float>(settings); })));
    // Every program is asked, not the first one only.
    settings.model.program.back() = "random-at-1";
    CHECK(contains(misuse_text([&] { prepare<float>(settings); }),
                   "the program of peer 1 does not give the same gradient twice"));
  }

  TEST_CASE(
      "program: every peer writes its own model under run.evaluate = \"own\", and none goes to the "
      "observer") {
    const Scene scene;
    RunSettings settings = scene.settings();
    settings.run.evaluate = RunSettings::Run::Evaluate::own;
    const auto experiment = prepare<float>(settings);
    const RunOutcome<float> run = run_local(experiment);
    check_same_losses(run, simulate(experiment, Duration{1000}));
    CHECK(run.mean_model.size() == 0);
    CHECK(std::filesystem::exists(settings.run.output / "model-2.npy"));
  }
}

}  // namespace hearsay::program_objective_test

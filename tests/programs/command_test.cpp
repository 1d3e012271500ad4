#include <doctest/doctest.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "runtime/foundation/file_descriptor.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::command_test {

using Json = nlohmann::ordered_json;

namespace {

const std::string three_peers = R"toml(
[run]
iterations = 20
evaluate_every = 5
[topology]
kind = "ring"
peers = 3
[algorithm]
kind = "dcd-psgd"
batch = 4
)toml";

/// Returns the words of a command with `-- PROGRAM FAULT` at their end.
std::vector<std::string> with_program(std::vector<std::string> words, const std::string& fault = "none") {
  words.insert(words.end(), {"--", HEARSAY_ANSWERING_PROGRAM, fault});
  return words;
}

/// Writes run.toml, of three peers at addresses of this machine.
void write_three_hosts(const DataFolder& folder) {
  std::string cluster = "observer = \"" + free_address() + "\"\nfamily = \"ring\"\n";
  for (int id = 0; id < 3; ++id) cluster += "[[peer]]\naddress = \"" + free_address() + "\"\n";
  folder.write("cluster.toml", cluster);
  folder.write("run.toml",
               "[run]\niterations = 20\nevaluate_every = 20\n[topology]\nfile = \"cluster.toml\"\n"
               "[algorithm]\nkind = \"dcd-psgd\"\nbatch = 4\n");
}

/// Starts peer `id` of that run in a folder of its own.
std::unique_ptr<Program> host(const DataFolder& folder, const DataFolder& own, std::size_t id,
                              const std::string& fault) {
  return std::make_unique<Program>(
      own.path(), with_program({"peer", (folder.path() / "run.toml").string(), "--id", std::to_string(id),
                                "--output", (folder.path() / "out").string()},
                               fault));
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "run FILE -- PROGRAM: run and simulate end alike, and what programs print has their peer in front") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    for (const std::string command : {"simulate", "run"}) {
      CAPTURE(command);
      const ProgramEnd end =
          run_program(folder.path(), with_program({command, "run.toml", "--json", "--output", command}));
      REQUIRE_MESSAGE(end.code == 0, end.complained);
      const Json summary = Json::parse(end.said);  // programs print nothing on standard output
      CHECK(summary["data"] == "at home");
      CHECK(!contains(content_of(folder.path() / command / "run.toml"), "[data]"));
      CHECK(summary["evaluated"] == "mean model");
      CHECK(summary["loss_samples"] == 36);
      CHECK(summary["evaluation_bytes"] > 0);
      for (const char* const id : {"0", "1", "2"}) {
        CHECK(contains(end.complained, "peer " + std::string(id) + " | peer " + id + " is ready\n"));
        CHECK(contains(end.complained, "peer " + std::string(id) +
                                           " | the end: {\"code\":0,\"reason\":\"\",\"output\":\"" +
                                           (folder.path() / command).string() + "\"}"));
      }
    }
    CHECK(content_of(folder.path() / "run/model.npy") == content_of(folder.path() / "simulate/model.npy"));
    // The record says how to do it again.
    REQUIRE(run_program(folder.path(), {"simulate", "run/run.toml", "--quiet", "--output", "again"}).code ==
            0);
    CHECK(content_of(folder.path() / "run/model.npy") == content_of(folder.path() / "again/model.npy"));
  }

  TEST_CASE(
      "peer FILE -- PROGRAM: each host starts its own program, and all end with the bits of the simulation") {
    const DataFolder folder;
    write_three_hosts(folder);
    std::array<DataFolder, 3> of_peer;
    std::vector<std::unique_ptr<Program>> peers;
    for (std::size_t id = 0; id < 3; ++id) peers.push_back(host(folder, of_peer[id], id, "none"));
    for (std::size_t id = 0; id < 3; ++id) {
      CHECK_MESSAGE(peers[id]->wait() == 0, peers[id]->complained());
      CHECK(contains(peers[id]->complained(), "peer " + std::to_string(id) + " | the end: {\"code\":0"));
    }
    REQUIRE(run_program(folder.path(), with_program({"simulate", "run.toml", "--output", "sim", "--quiet"}))
                .code == 0);
    CHECK(content_of(folder.path() / "out/model.npy") == content_of(folder.path() / "sim/model.npy"));
  }

  TEST_CASE("Ctrl-C in a gradient that never ends: the run ends, its record is closed, and nobody is left") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    Program program(folder.path(), with_program({"run", "run.toml", "--quiet", "--output", "out"}, "slow"));
    REQUIRE_MESSAGE(
        program.wait_until([&] { return contains(content_of(folder.path() / "out/metrics.jsonl"), "\n"); }),
        program.complained());
    program.signal_group(SIGINT);
    CHECK(program.wait() == 130);
    CHECK(program.everyone_ended());
    CHECK(Json::parse(content_of(folder.path() / "out/summary.json"))["status"] == "interrupted");
  }

  TEST_CASE("a program that ends while what it has forked holds its socket: its peer does not wait") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    for (const std::string command : {"simulate", "run"}) {
      CAPTURE(command);
      const ProgramEnd end =
          run_program(folder.path(), {command, "run.toml", "--", "sh", "-c", "sleep 1000 & exit 7"});
      CHECK(end.code == 2);
      CHECK(contains(end.complained, "has ended before its hello, with exit code 7"));
    }
  }

  TEST_CASE("Ctrl-C before the run begins: what the programs have forked ends, too") {
    const std::string forks = "sleep 1000 & echo $! > forked-$HEARSAY_ID; exec sleep 1000";
    for (const std::string command : {"run", "simulate", "check"}) {
      CAPTURE(command);
      const DataFolder folder;
      folder.write("run.toml", three_peers);
      Program program(folder.path(), {command, "run.toml", "--", "sh", "-c", forks});
      const auto number = folder.path() / "forked-0";
      REQUIRE(program.wait_until(
          [&] { return std::filesystem::exists(number) && contains(content_of(number), "\n"); }));
      const FileDescriptor forked(
          static_cast<int>(syscall(SYS_pidfd_open, std::stoi(content_of(number)), 0)));
      REQUIRE(forked);
      program.signal_group(SIGINT);
      CHECK(program.wait() == 130);
      pollfd polled{forked.number(), POLLIN, 0};
      CHECK(poll(&polled, 1, 10'000) == 1);
      syscall(SYS_pidfd_send_signal, forked.number(), SIGKILL, nullptr, 0);
    }
  }

  TEST_CASE("kill -9 of hearsay run: its peers and its programs end, too") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    Program program(folder.path(), with_program({"run", "run.toml", "--quiet", "--output", "out"}, "slow"));
    REQUIRE_MESSAGE(
        program.wait_until([&] { return contains(content_of(folder.path() / "out/metrics.jsonl"), "\n"); }),
        program.complained());
    kill(program.process(), SIGKILL);
    CHECK(program.wait() == -SIGKILL);
    CHECK(program.everyone_ended());
  }

  TEST_CASE("run FILE -- PROGRAM: what is wrong is one sentence, and no folder is left behind") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    const auto refused = [&](const std::vector<std::string>& words, const std::string& sentence) {
      const ProgramEnd end = run_program(folder.path(), words);
      CHECK(end.code == 2);
      CHECK_MESSAGE(contains(end.complained, sentence), end.complained);
    };
    refused({"run", "run.toml", "--"}, "-- ends the command line; expected the command of a program");
    refused({"run", "run.toml", "--", "/nowhere/train"}, "the program of peer 0 cannot be started in ");
    refused({"topology", "ring(4)", "--", "x"}, "-- starts a program for the peers of a run");
    refused({"run", "run.toml", "--set", "model.kind=program"}, "model.program = []: expected the command");
    refused(with_program({"run", "run.toml"}, "elsewhere"), "begins elsewhere than the first one's");
    refused({"check", "run.toml", "--unset", "algorithm.kin"},
            "--unset: algorithm.kin: unknown key, did you mean algorithm.kind?");
    refused(with_program({"run", "run.toml"}, "nothing"), "no peer has training samples");
    for (const std::string command : {"run", "check"})
      refused({command, "run.toml", "--set", "model.program=[\"train\"]"},
              "model.program = [\"train\"]: model.kind = \"softmax\" runs no program");
    CHECK(!std::filesystem::exists(folder.path() / "runs"));
  }

  TEST_CASE("run FILE -- PROGRAM: a program that was killed, and is started anew, hears of the end, too") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    const ProgramEnd end =
        run_program(folder.path(), with_program({"run", "run.toml", "--output", "out"}, "crash-once"));
    CHECK(end.code == 0);
    for (const char* const id : {"0", "1", "2"})
      CHECK_MESSAGE(contains(end.complained, "peer " + std::string(id) + " | the end: {\"code\":0"),
                    end.complained);
  }

  TEST_CASE(
      "run FILE -- PROGRAM: one that is killed before it has begun is started anew, and no bit changes") {
    DataFolder folder;
    folder.write("run.toml", three_peers);
    REQUIRE(run_program(folder.path(), with_program({"simulate", "run.toml", "--output", "calm"})).code == 0);
    for (const std::string fault : {"kill-before-hello", "kill-before-x0"}) {
      CAPTURE(fault);
      std::filesystem::remove(folder.path() / "started-1");
      const ProgramEnd end =
          run_program(folder.path(), with_program({"run", "run.toml", "--output", fault}, fault));
      REQUIRE_MESSAGE(end.code == 0, end.complained);
      CHECK_MESSAGE(contains(end.complained, "the program of peer 1 was killed by signal 9"), end.complained);
      CHECK(content_of(folder.path() / fault / "model.npy") == content_of(folder.path() / "calm/model.npy"));
    }
    const ProgramEnd end =
        run_program(folder.path(), with_program({"run", "run.toml"}, "crash-before-hello"));
    CHECK(end.code == 2);
    CHECK_MESSAGE(contains(end.complained, "the program of peer 1 has ended before its hello, by signal 9"),
                  end.complained);
  }

  TEST_CASE("run FILE -- PROGRAM: --resume with a program that has other data is refused, and says so") {
    const DataFolder folder;
    folder.write("run.toml", three_peers + "[failure]\ncheckpoint_every = 10\n");
    const std::vector<std::string> words{"run", "run.toml", "--output", "out"};
    REQUIRE(run_program(folder.path(), with_program(words)).code == 0);
    std::vector<std::string> resumed = words;
    resumed.insert(resumed.end(), {"--resume", "--set", "run.iterations=30"});
    const std::string before = content_of(folder.path() / "out/metrics.jsonl");
    const ProgramEnd end = run_program(folder.path(), with_program(resumed, "fewer"));
    CHECK(end.code == 2);
    CHECK_MESSAGE(
        contains(end.complained,
                 "is of a run with other data: samples of the program of peer 1 = 12, now 11; a run "
                 "is resumed with the data that it was begun with"),
        end.complained);
    CHECK(content_of(folder.path() / "out/metrics.jsonl") == before);
    CHECK(run_program(folder.path(), with_program(resumed)).code == 0);
  }

  TEST_CASE("run FILE -- PROGRAM: one that ends or hangs in its first evaluation is not started anew") {
    DataFolder folder;
    folder.write("run.toml", three_peers + "[model]\nanswer_within = \"300 ms\"\n");
    for (const auto& [fault, why] :
         {std::pair{"exit-in-score", "its program has ended, with exit code 0"},
          std::pair{"slow-score",
                    "the program of peer 1 has not answered the question for a score within "
                    "300 ms (model.answer_within)"}})
      for (const std::string method : {"dcd-psgd", "ad-psgd"}) {
        CAPTURE(method);
        const ProgramEnd end =
            run_program(folder.path(), with_program({"run", "run.toml", "--set", "algorithm.kind=" + method,
                                                     "--output", "out", "--overwrite", "--json"},
                                                    fault));
        CHECK(end.code == 3);
        CHECK_MESSAGE(contains(end.complained, std::string(why) + "\n"), end.complained);
        CHECK_MESSAGE(!contains(end.complained, "anew"), end.complained);
        CHECK(Json::parse(end.said)["restarts"] == 0);
      }
  }

  TEST_CASE(
      "run, simulate, peer FILE -- PROGRAM: one that is silent before the run ends it as model.answer_within "
      "says") {
    const DataFolder folder;
    write_three_hosts(folder);
    for (const auto& [fault, awaited] :
         {std::pair{"slow-hello", "has not said its hello, the size of its model, within 300 ms "},
          std::pair{"slow-x0", "has not said its x_0 within 300 ms "},
          std::pair{"slow-first",
                    "has not answered the question for the gradient of iteration 1 within 300 ms "}})
      for (const std::vector<std::string>& command :
           {std::vector<std::string>{"run"}, {"simulate"}, {"peer", "--id", "1"}}) {
        std::vector<std::string> words = command;
        words.insert(words.end(), {"run.toml", "--set", "model.answer_within=300 ms"});
        const ProgramEnd end = run_program(folder.path(), with_program(words, fault));
        CHECK(end.code == 3);
        const bool is_first = std::string(fault) == "slow-first" && command.front() != "peer";
        CHECK_MESSAGE(contains(end.complained, "the program of peer " + std::string(is_first ? "0 " : "1 ") +
                                                   awaited + "(model.answer_within)"),
                      end.complained);
        CHECK(!std::filesystem::exists(folder.path() / "runs"));
      }
  }

  TEST_CASE("run FILE -- PROGRAM: one that asks the run to end is named, once") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    for (const std::string command : {"run", "simulate"}) {
      const ProgramEnd end =
          run_program(folder.path(), with_program({command, "run.toml", "--output", command}, "stop"));
      CHECK(end.code == 130);
      const std::string sentence = "the program of peer 1 has asked the run to end\n";
      CHECK_MESSAGE(contains(end.complained, sentence), end.complained);
      CHECK(end.complained.find(sentence) == end.complained.rfind(sentence));
    }
  }

  TEST_CASE(
      "run FILE -- PROGRAM: one that ends badly after its last answer is exit code 3, and the record is "
      "done") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    for (const std::string command : {"run", "simulate"})
      for (const auto& each :
           {std::pair{"kill-after-last", "by signal 9 (Killed)"},
            std::pair{"exit-after-last", "with exit code 5"}, std::pair{"fail-after", "with exit code 5"},
            std::pair{"kill-after", "by signal 9 (Killed)"},
            std::pair{"crash-once-fail-after", "with exit code 5"}}) {
        const std::string fault = each.first;
        const std::string how = each.second;
        CAPTURE(command);
        CAPTURE(fault);
        std::filesystem::remove(folder.path() / "started-1");
        const ProgramEnd end =
            run_program(folder.path(), with_program({command, "run.toml", "--json", "--overwrite", "--output",
                                                     "out", "--set", "run.evaluate_every=20"},
                                                    fault));
        CHECK(end.code == 3);
        CHECK_MESSAGE(
            contains(end.complained, "hearsay: the program of peer 1 has failed after its last answer, " +
                                         std::string(how) + "\n"),
            end.complained);
        CHECK(Json::parse(end.said)["status"] == "done");
        CHECK(Json::parse(content_of(folder.path() / "out/summary.json"))["status"] == "done");
      }
  }

  TEST_CASE("peer FILE -- PROGRAM: one that ends badly after its last answer is told on its host alone") {
    const DataFolder folder;
    write_three_hosts(folder);
    std::array<DataFolder, 3> of_peer;
    std::vector<std::unique_ptr<Program>> peers;
    for (std::size_t id = 0; id < 3; ++id) peers.push_back(host(folder, of_peer[id], id, "kill-after-last"));
    for (std::size_t id = 0; id < 3; ++id) CHECK(peers[id]->wait() == (id == 1 ? 3 : 0));
    CHECK_MESSAGE(contains(peers[1]->complained(),
                           "the program of peer 1 has failed after its last answer, by signal 9 (Killed)\n"),
                  peers[1]->complained());
  }

  TEST_CASE(
      "peer FILE -- PROGRAM: of one that does not answer all hosts end with its peer, question and seconds") {
    const DataFolder folder;
    write_three_hosts(folder);
    folder.write("run.toml",
                 content_of(folder.path() / "run.toml") + "[model]\nanswer_within = \"300 ms\"\n");
    std::array<DataFolder, 3> of_peer;
    std::vector<std::unique_ptr<Program>> peers;
    for (std::size_t id = 0; id < 3; ++id) peers.push_back(host(folder, of_peer[id], id, "slow"));
    for (const auto& peer : peers) {
      CHECK(peer->wait() == 3);
      CHECK_MESSAGE(contains(peer->complained(),
                             "peer 1: its objective failed in iteration 5: the program of peer 1 has not "
                             "answered the question for the gradient of iteration 5 within 300 ms "
                             "(model.answer_within)\n"),
                    peer->complained());
    }
  }

  TEST_CASE("peer FILE -- PROGRAM: under drop one that fails beside peer 0 ends nobody else's run") {
    const DataFolder folder;
    write_three_hosts(folder);
    folder.write("run.toml", content_of(folder.path() / "run.toml") + "[failure]\npolicy = \"drop\"\n");
    std::array<DataFolder, 3> of_peer;
    std::vector<std::unique_ptr<Program>> peers;
    for (std::size_t id = 0; id < 3; ++id) peers.push_back(host(folder, of_peer[id], id, "fail-first"));
    for (const auto& peer : peers) CHECK_MESSAGE(peer->wait() == 0, peer->complained());
    CHECK(contains(peers[0]->complained(), "ValueError: a bad sample; the others go on without it"));
    const auto summary = Json::parse(content_of(folder.path() / "out/summary.json"));
    CHECK(summary["status"] == "done");
    CHECK(summary["dropped"] == Json{0});
  }

  TEST_CASE("run FILE -- PROGRAM: who starts hearsay and ignores SIGCHLD changes no exit code") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    for (const auto& [fault, code] : {std::pair{"none", 0}, std::pair{"fail-after", 3}}) {
      const ProgramEnd end =
          run_program(folder.path(), with_program({"run", "run.toml", "--quiet", "--output", fault}, fault),
                      [] { signal(SIGCHLD, SIG_IGN); });
      CHECK_MESSAGE(end.code == code, end.complained);
    }
  }

  TEST_CASE("run FILE -- PROGRAM: how the program of a peer that was dropped ends is no failure of the run") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    const ProgramEnd end = run_program(folder.path(), with_program({"run", "run.toml", "--json", "--output",
                                                                    "out", "--set", "failure.policy=drop"},
                                                                   "exit"));
    CHECK_MESSAGE(end.code == 0, end.complained);
    CHECK(Json::parse(end.said)["dropped"] == Json{1});
  }

  TEST_CASE("run FILE -- PROGRAM: a failure in a gradient is exit code 3, with the program's words") {
    const DataFolder folder;
    folder.write("run.toml", three_peers);
    for (const std::string command : {"run", "simulate"}) {
      const ProgramEnd end =
          run_program(folder.path(), with_program({command, "run.toml", "--output", command}, "fail"));
      CHECK(end.code == 3);
      CHECK(
          contains(end.complained, "peer 1: its objective failed in iteration 5: ValueError: a bad sample"));
    }
  }
}

}  // namespace hearsay::test::command_test

#include <doctest/doctest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/program/launch_cluster.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::launch_test {

namespace {

namespace fs = std::filesystem;

/// A run that lasts until it is ended.
const std::string endless = "iterations = 1000000\nevaluate_every = 10\n[network]\ncompute = \"10 ms\"\n";

/// A run that is long enough for a fault.
const std::string lasting = "iterations = 400\nevaluate_every = 10\n[network]\ncompute = \"10 ms\"\n";
const std::vector<std::string> dropping = {"--set", "failure.policy=drop", "--set", "failure.lost_after=1 s"};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "launch: peers on three hosts, through ssh, end with the simulator's bits, and the output comes home") {
    if (skipped_without_namespaces("launch over ssh")) return;
    Cluster cluster;
    const auto launcher = cluster.launch();
    const int code = launcher->wait();
    const std::string said = launcher->said();
    const std::string complained = launcher->complained();
    REQUIRE_MESSAGE(code == 0, complained);
    REQUIRE(run_program(cluster.folder.path(), {"simulate", "run.toml", "--output", "sim"}).code == 0);
    const fs::path out = cluster.folder.path() / "out";
    CHECK(content_of(out / "model.npy") == content_of(cluster.folder.path() / "sim/model.npy"));
    CHECK(cluster.summary()["status"] == "done");
    CHECK(contains(said, out.string()));
    // What every peer said stands here with its name in front, and in its log without.
    for (const char* line : {"n2: hearsay: peer 1 of 3", "n3: hearsay: peer 2 of 3"})
      CHECK(contains(complained, line));
    CHECK(contains(content_of(out / "peer-1.log"), "hearsay: peer 1 of 3"));
    // The data went over the network of the hosts, and no file is left on them.
    for (std::size_t host = 0; host < host_count; ++host) {
      CHECK(cluster.hosts.network().traffic(host).bytes_sent >
            cluster.summary()["bytes_sent"].get<std::uint64_t>() / 3);
      CHECK(fs::is_directory(cluster.directory(host)));
      CHECK(fs::is_empty(cluster.directory(host)));
    }
    CHECK(cluster.peers().empty());
    // The resolved run file works at the desk.
    CHECK(run_program(cluster.folder.path(), {"evaluate", "out/model.npy", "out/run.toml"}).code == 0);
    // A second launch does not replace the first output without --overwrite.
    const auto again = cluster.launch();
    CHECK(again->wait() == 2);
    CHECK(contains(again->complained(), "give --overwrite"));
  }

  TEST_CASE("launch: Ctrl-C ends all peers in good order, and the record says so") {
    if (skipped_without_namespaces("launch and Ctrl-C")) return;
    Cluster cluster(endless);
    const auto launcher = cluster.launch();
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    launcher->signal_group(SIGINT);
    CHECK(launcher->wait() == 130);
    CHECK(all_ended(peers));
    CHECK(cluster.summary()["status"] == "interrupted");
    CHECK(cluster.summary()["iterations"].get<int>() > 0);
  }

  TEST_CASE("launch: another launch of the same run is refused, and the one that is under way goes on") {
    if (skipped_without_namespaces("launch beside a launch")) return;
    Cluster cluster(endless);
    const auto launcher = cluster.launch();
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    fs::create_directory(cluster.folder.path() / "elsewhere");
    const std::string other = (cluster.folder.path() / "elsewhere").string();
    const auto second = std::make_unique<Program>(
        other, std::vector<std::string>{"launch", "../run.toml", "--output", "out2"}, Program::Output::file,
        cluster.hosts.network().enter(cluster.hosts.desk()));
    CHECK(second->wait() == 2);
    CHECK_MESSAGE(contains(second->complained(), "a run that is under way has it"), second->complained());
    launcher->signal_group(SIGINT);
    CHECK(launcher->wait() == 130);
    CHECK(all_ended(peers));
    CHECK(cluster.summary()["status"] == "interrupted");
  }

  TEST_CASE("launch: no peer outlives a launcher that is killed") {
    if (skipped_without_namespaces("killed launcher")) return;
    Cluster cluster(endless);
    const auto launcher = cluster.launch();
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    kill(launcher->process(), SIGKILL);
    CHECK(launcher->wait() == -SIGKILL);
    CHECK(all_ended(peers));
    CHECK(launcher->everyone_ended());  // its ssh, too
  }

  TEST_CASE("launch: no peer outlives the network between it and its launcher") {
    if (skipped_without_namespaces("launcher without network")) return;
    Cluster cluster(endless);
    const auto launcher = cluster.launch({"--set", "failure.lost_after=8 s"});
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    cluster.hosts.network().set_link(cluster.hosts.desk(), false);  // between each other they go on
    CHECK(all_ended(peers));
  }

  TEST_CASE("launch: a peer that is killed is named, and the others are stopped") {
    if (skipped_without_namespaces("killed peer")) return;
    Cluster cluster(endless);
    const auto launcher = cluster.launch();
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    kill(cluster.hosts.network().processes(1, "hearsay").front(), SIGKILL);
    CHECK(launcher->wait() == 3);
    CHECK_MESSAGE(contains(launcher->complained(), "hearsay: peer n2 (root@10.77.0.2): it was lost"),
                  launcher->complained());
    CHECK(all_ended(peers));
    CHECK(cluster.summary()["status"] == "lost");  // not interrupted: no user ended it
    // Peer 2 hears the reason from peer 0, and ends by itself.
    CHECK(contains(content_of(cluster.folder.path() / "out/peer-2.log"), "n2 (root@10.77.0.2): it was lost"));
  }

  TEST_CASE(
      "launch: a run of which a peer was killed goes on from its hosts' checkpoints, to the undisturbed "
      "bits") {
    if (skipped_without_namespaces("launch that resumes")) return;
    Cluster cluster(lasting + "[failure]\ncheckpoint_every = 7\n");
    const auto launcher = cluster.launch();
    cluster.wait_for_training(*launcher);
    kill(cluster.hosts.network().processes(1, "hearsay").front(), SIGKILL);
    CHECK(launcher->wait() == 3);
    for (std::size_t host = 0; host < host_count; ++host) CHECK_FALSE(fs::is_empty(cluster.directory(host)));
    const auto second = cluster.launch({"--resume"});
    const int code = second->wait();
    REQUIRE_MESSAGE(code == 0, second->complained());
    CHECK_FALSE(contains(second->complained(), "n1:  10/400"));  // not from the beginning
    REQUIRE(run_program(cluster.folder.path(), {"simulate", "run.toml", "--output", "sim"}).code == 0);
    check_same_run(record_of(cluster.folder.path() / "out"), record_of(cluster.folder.path() / "sim"));
  }

  TEST_CASE("launch: where an ssh connection breaks, its peer ends, is named, and the others are stopped") {
    if (skipped_without_namespaces("broken connection")) return;
    Cluster cluster(endless);
    const auto launcher = cluster.launch();
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    for (const pid_t session : cluster.hosts.network().processes(2, "sshd")) kill(session, SIGKILL);
    CHECK(launcher->wait() == 3);
    CHECK_MESSAGE(contains(launcher->complained(), "hearsay: peer n3 (root@10.77.0.3): it was lost"),
                  launcher->complained());
    CHECK(all_ended(peers));
  }

  TEST_CASE("launch: a launcher shows life more often than failure.lost_after, however short that is") {
    if (skipped_without_namespaces("launcher's signs of life")) return;
    Cluster cluster(lasting);
    const auto launcher = cluster.launch({"--set", "failure.lost_after=1 s"});
    CHECK_MESSAGE(launcher->wait() == 0, launcher->complained());
    CHECK(cluster.summary()["iterations"] == 400);
  }

  TEST_CASE("launch, drop: a peer that is killed is named, and the others go on to the end") {
    if (skipped_without_namespaces("killed peer of a run that drops it")) return;
    Cluster cluster(lasting);
    const auto launcher = cluster.launch(dropping);
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    kill(cluster.hosts.network().processes(1, "hearsay").front(), SIGKILL);
    const int code = launcher->wait();
    REQUIRE_MESSAGE(code == 0, launcher->complained());
    CHECK_MESSAGE(contains(launcher->complained(), "hearsay: peer n2 (root@10.77.0.2): it was lost"),
                  launcher->complained());
    CHECK(all_ended(peers));
    CHECK(cluster.summary()["status"] == "done");
    CHECK(cluster.summary()["dropped"] == std::vector<int>{1});
    CHECK(cluster.summary()["iterations"] == 400);
  }

  TEST_CASE("launch, drop: where peer 0 is killed, the others go on, and their models come home") {
    if (skipped_without_namespaces("killed first peer of a run that drops it")) return;
    Cluster cluster(lasting);
    const auto launcher = cluster.launch(dropping);
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    kill(cluster.hosts.network().processes(0, "hearsay").front(), SIGKILL);
    CHECK(launcher->wait() == 3);
    const fs::path out = cluster.folder.path() / "out";
    CHECK_MESSAGE(contains(launcher->complained(), "their models are in " + out.string()),
                  launcher->complained());
    CHECK(all_ended(peers));
    CHECK_FALSE(fs::exists(out / "model-0.npy"));
    CHECK(fs::exists(out / "model-1.npy"));
    CHECK(fs::exists(out / "model-2.npy"));
    CHECK_FALSE(fs::exists(out / "summary.json"));
  }

  TEST_CASE(
      "launch, drop: a run goes on without its launcher and its ssh connections, and leaves its record") {
    if (skipped_without_namespaces("killed launcher of a run that drops peers")) return;
    Cluster cluster(lasting);
    const auto launcher = cluster.launch(dropping);
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    for (const pid_t session : cluster.hosts.network().processes(2, "sshd")) kill(session, SIGKILL);
    kill(launcher->process(), SIGKILL);
    CHECK(launcher->wait() == -SIGKILL);
    CHECK(all_ended(peers));
    CHECK(launcher->everyone_ended());
    std::vector<fs::path> summaries;
    for (const auto& entry : fs::recursive_directory_iterator(cluster.directory(0)))
      if (entry.path().filename() == "summary.json") summaries.push_back(entry.path());
    REQUIRE(summaries.size() == 1);
    const auto summary = nlohmann::json::parse(content_of(summaries.front()));
    CHECK(summary["status"] == "done");
    CHECK(summary["dropped"].empty());
    CHECK(summary["iterations"] == 400);
  }

  TEST_CASE("launch, drop: Ctrl-C ends all peers") {
    if (skipped_without_namespaces("Ctrl-C where peers are dropped")) return;
    Cluster cluster(endless);
    const auto launcher = cluster.launch(dropping);
    const std::vector<pid_t> peers = cluster.wait_for_training(*launcher);
    launcher->signal_group(SIGINT);
    CHECK(launcher->wait() == 130);
    CHECK(all_ended(peers));
    CHECK(cluster.summary()["status"] == "interrupted");
  }

  TEST_CASE("launch: what is wrong with a host is said with its name, and everything is stopped") {
    if (skipped_without_namespaces("hosts that cannot be used")) return;
    Cluster cluster(endless);
    const auto complaint = [&] {
      const auto launcher = cluster.launch();
      CHECK(launcher->wait() == 2);
      CHECK(launcher->everyone_ended());
      CHECK(cluster.peers().empty());
      CHECK_FALSE(fs::exists(cluster.folder.path() / "out"));
      return launcher->complained();
    };
    cluster.write_cluster(cluster.hosts.strange_key());
    CHECK_MESSAGE(contains(complaint(), "Permission denied (publickey)"), complaint());
    cluster.write_cluster({}, "/no/such/hearsay");
    CHECK_MESSAGE(contains(complaint(), "/no/such/hearsay: not found"), complaint());
    // One of three hosts does not exist.
    cluster.write_cluster();
    std::string text = content_of(cluster.folder.path() / "cluster.toml");
    const std::string hosts = "root@10.77.0.[1-3]";
    text.replace(text.find(hosts), hosts.size(), "root@10.77.0.[1-2,4]");
    cluster.folder.write("cluster.toml", text);
    const std::string said = complaint();
    CHECK_MESSAGE(contains(said, "hearsay: peer n3 (root@10.77.0.4): "), said);
    CHECK_MESSAGE(contains(said, "Connection refused"), said);
  }

  TEST_CASE("launch: a host that takes the connection and then does nothing is named in time") {
    if (skipped_without_namespaces("host that stalls")) return;
    Cluster cluster(endless);
    // A program that reads its input and says nothing, in place of hearsay.
    cluster.write_cluster({}, cluster.folder.write("stalls", "#!/bin/sh\nexec cat > /dev/null\n"));
    fs::permissions(cluster.folder.path() / "stalls", fs::perms::all);
    const auto launcher = cluster.launch({"--wait", "1 s"});
    CHECK(launcher->wait() == 3);
    CHECK_MESSAGE(contains(launcher->complained(), "it was not started within 1 s"), launcher->complained());
    CHECK(launcher->everyone_ended());
  }

  TEST_CASE("launch FILE -- COMMAND: the program of a peer runs in the peer's directory on its host") {
    if (skipped_without_namespaces("launch of programs")) return;
    Cluster cluster;
    cluster.folder.write("run.toml", "[run]\noutput = \"out\"\n[topology]\nfile = \"cluster.toml\"\n");
    const auto launcher = cluster.launch({"--", "sh", "-c", "pwd; exec sleep 600"});
    for (std::size_t host = 0; host < host_count; ++host)
      CHECK_MESSAGE(launcher->wait_until([&] {
        return contains(launcher->complained(),
                        "peer " + std::to_string(host) + " | " + cluster.directory(host) + "\n");
      }),
                    launcher->complained());
    launcher->signal_group(SIGINT);
    CHECK(launcher->wait() == 130);
  }

  TEST_CASE("launch: an input that is wrong at the peers ends in their sentence and code 2") {
    if (skipped_without_namespaces("wrong input at the peers")) return;
    Cluster cluster;
    const auto launcher = cluster.launch({"--set", "data.source=libsvm:no/such file"});
    CHECK(launcher->wait() == 2);
    // The path is relative to the working directory of the peer.
    CHECK_MESSAGE(contains(launcher->complained(), "/no/such file"), launcher->complained());
    CHECK(contains(launcher->complained(), "hearsay: peer n"));
    CHECK(cluster.peers().empty());
  }

  TEST_CASE("launch: what is wrong with the run file is said once, not once for every peer") {
    if (skipped_without_namespaces("a wrong run file")) return;
    Cluster cluster;
    const auto launcher = cluster.launch({"--set", "algorithm.compressor=sixbits"});
    CHECK(launcher->wait() == 2);
    const std::string words = launcher->complained();
    const std::string sentence = ": hearsay: algorithm.compressor = \"sixbits\"";
    std::size_t lines = 0;
    for (std::size_t at = words.find(sentence); at != words.npos; at = words.find(sentence, at + 1)) ++lines;
    CHECK_MESSAGE(lines == 1, words);
    CHECK_MESSAGE(contains(words, "\nhearsay: peer n"), words);  // the last line, with the peer's name
  }

  TEST_CASE("launch: a host that the kernel slows down slows the run, not its bits") {
    if (skipped_without_namespaces("kernel's bandwidth limit")) return;
    Cluster cluster;
    cluster.hosts.network().limit_bandwidth(1, "2mbit");
    const auto launcher = cluster.launch();
    const int code = launcher->wait();
    REQUIRE_MESSAGE(code == 0, launcher->complained());
    REQUIRE(run_program(cluster.folder.path(), {"simulate", "run.toml", "--output", "sim"}).code == 0);
    CHECK(content_of(cluster.folder.path() / "out/model.npy") ==
          content_of(cluster.folder.path() / "sim/model.npy"));
    CHECK(cluster.hosts.network().limited_bytes(1) >
          cluster.summary()["per_peer"][1]["bytes_sent"].get<std::uint64_t>());
  }
}

}  // namespace hearsay::test::launch_test

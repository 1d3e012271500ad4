#include <doctest/doctest.h>

#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/data_files.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program.hpp"
#include "tools/metrics/exposition.hpp"
#include "tools/metrics/metrics_server.hpp"

namespace hearsay::test::metrics_program_test {

namespace {

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

/// The value of a sample, `hearsay_loss` or `hearsay_peer_iteration{peer="1"}`; NaN if it is not told.
double value_of(const std::string& metrics, const std::string& sample) {
  const std::size_t at = ("\n" + metrics).find("\n" + sample + " ");
  return at == std::string::npos ? std::nan("") : std::stod(metrics.substr(at + sample.size() + 1));
}

double rounds_of(std::uint16_t port, int peer) {
  return value_of(http_get(port, "/metrics").body,
                  "hearsay_peer_gossip_rounds_total{peer=\"" + std::to_string(peer) + "\"}");
}

/// Two peers of a run that lasts until it is ended, each with its metrics.
struct TwoHosts {
  TwoHosts() {
    std::string cluster = "family = \"ring\"\nobserver = \"" + free_address() + "\"\n";
    for (int id = 0; id < 2; ++id) cluster += "[[peer]]\naddress = \"" + free_address() + "\"\n";
    folder.write("cluster.toml", cluster);
    folder.write(
        "run.toml",
        "run.name = \"two \\\"hosts\\\"\"\nmodel.kind = \"quadratic(500)\"\nrun.iterations = 1000000\n"
        "run.evaluate_every = 5\nnetwork.compute = \"5 ms\"\n[topology]\nfile = \"cluster.toml\"\n");
  }
  std::unique_ptr<Program> start(int id) const {
    const std::string number = std::to_string(id);
    return std::make_unique<Program>(
        folder.path(),
        std::vector<std::string>{"peer", "run.toml", "--id", number, "--output", "out" + number, "--metrics",
                                 std::to_string(ports[id])},
        Program::Output::file);
  }

  DataFolder folder;
  std::vector<std::uint16_t> ports = {port_of(free_address()), port_of(free_address())};
};

bool is_installed(const char* program) {
  return std::system(("command -v " + std::string(program) + " > /dev/null").c_str()) == 0;
}

}  // namespace

TEST_CASE("metrics: an address is a port of this machine, or an IP address and a port") {
  CHECK(metrics_place("9464").host == "127.0.0.1");
  CHECK(metrics_place("9464").port == 9464);
  CHECK_FALSE(metrics_place("9464").answers_names);
  CHECK(metrics_place("0.0.0.0:9464").host == "0.0.0.0");
  CHECK(metrics_place("0.0.0.0:9464").answers_names);
  CHECK(metrics_place("[::]:0").host == "::");
  for (const char* wrong : {"", "70000", "here", "localhost:9464", "10.0.0.1", ":9464", "10.0.0.1:", "-1"}) {
    CAPTURE(std::string(wrong));
    CHECK(misuse_text([&] { metrics_place(wrong); }) ==
          "--metrics = " + std::string(wrong) +
              ": expected a port, 9464, or an IP address and a port, \"0.0.0.0:9464\" for all interfaces");
  }
}

TEST_CASE("metrics: numbers and labels are written as Prometheus reads them") {
  Exposition text;
  text.gauge("hearsay_loss", "Loss.");
  text.sample({}, std::nan(""));
  text.sample({{"run", "a \"b\"\n\\c"}}, -INFINITY);
  text.counter("hearsay_sent_bytes_total", "Bytes.");
  text.sample({{"peer", "1"}, {"to", "2"}}, 12345678901.0);
  CHECK(text.text() ==
        "# HELP hearsay_loss Loss.\n# TYPE hearsay_loss gauge\nhearsay_loss NaN\n"
        "hearsay_loss{run=\"a \\\"b\\\"\\n\\\\c\"} -Inf\n"
        "# HELP hearsay_sent_bytes_total Bytes.\n# TYPE hearsay_sent_bytes_total counter\n"
        "hearsay_sent_bytes_total{peer=\"1\",to=\"2\"} 12345678901\n");
}

TEST_CASE("metrics: the dashboard for Grafana asks for what is told, in queries that Prometheus reads") {
  RunMetrics all{.run = "all", .method = "d-psgd", .topology = "ring", .newest = Evaluation{}};
  all.newest->accuracy = all.newest->loss_worst = 0.5;
  all.peers = {{0, 1, {}}};
  const std::string told = exposition_of(all, "0.1.0");
  const auto dashboard =
      nlohmann::json::parse(std::ifstream(HEARSAY_SOURCE_DIR "/tools/examples/grafana.json"));
  nlohmann::json rules = nlohmann::json::array();
  for (const auto& panel : dashboard["panels"])
    for (const auto& target : panel["targets"]) {
      std::string query = target["expr"];
      const std::regex name("hearsay_[a-z_]+");
      for (std::sregex_iterator one(query.begin(), query.end(), name), end; one != end; ++one)
        CHECK_MESSAGE(contains(told, "# TYPE " + one->str() + " "), query);
      query = std::regex_replace(query, std::regex("\\$__rate_interval"), "1m");
      rules.push_back({{"record", "query:" + std::to_string(rules.size())}, {"expr", query}});
    }
  CHECK(rules.size() > 15);
  if (!is_installed("promtool")) return;  // the test below says that it is skipped
  const DataFolder folder;
  folder.write("rules.json", nlohmann::json{{"groups", {{{"name", "queries"}, {"rules", rules}}}}}.dump());
  CHECK(std::system(
            ("promtool check rules " + (folder.path() / "rules.json").string() + " > /dev/null").c_str()) ==
        0);
}

TEST_CASE("metrics: a peer that comes back from a checkpoint makes no counter fall, or count twice") {
  const auto counts = [](double rounds, double bytes) {
    PeerCounts made;
    made.counters[0] = rounds;
    made.sent_bytes = {{3, bytes}};
    return made;
  };
  RisingCounts rising;
  std::vector<double> rounds, bytes;
  for (const auto& [round, byte] :
       {std::pair{100.0, 1000.0}, {110.0, 1100.0}, {105.0, 1050.0}, {120.0, 1200.0}}) {
    rising.see(counts(round, byte));
    rounds.push_back(rising.risen().counters[0]);
    bytes.push_back(rising.risen().sent_bytes.front().second);
  }
  CHECK(rounds == std::vector<double>{0, 10, 10, 25});
  CHECK(bytes == std::vector<double>{0, 100, 100, 250});
}

TEST_CASE("metrics: what is told of a run has a bound, and no link is told where there are too many") {
  RunMetrics many{.run = "many", .method = "d-psgd", .topology = "complete"};
  for (PeerId id = 0; id < 200; ++id) {
    many.peers.push_back({id, std::nullopt, {}});
    for (PeerId to = 0; to < 200; ++to)
      if (to != id) many.peers.back().counts.sent_bytes.emplace_back(to, 1.0);
  }
  const std::string text = exposition_of(many, "0.1.0");
  CHECK(contains(text, "hearsay_peer_sent_bytes_total{peer=\"199\"}"));
  CHECK_FALSE(contains(text, "hearsay_link_sent_bytes_total"));
}

TEST_CASE("metrics: many who ask and say nothing leave files and answers to the others") {
  const HttpServer server({}, {{"/", "text/plain", [] { return "here"; }}});
  const auto open_files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const std::ptrdiff_t before = open_files();
  std::vector<std::unique_ptr<IdleClient>> idle;
  for (int k = 0; k < 100; ++k) idle.push_back(std::make_unique<IdleClient>(server.port()));
  CHECK(http_get(server.port(), "/").body == "here");  // once the silent ones were cut off
  CHECK(open_files() <= before + 100 + 32 + 1);
  CHECK(http_get(server.port(), "/?x=1").body == "here");
}

TEST_SUITE("net") {
  TEST_CASE("metrics: a peer is alive at once, ready once the run has begun, and tells of itself alone") {
    const TwoHosts hosts;
    const auto one = hosts.start(1);
    REQUIRE(one->wait_until([&] { return http_get(hosts.ports[1], "/healthz").status == 200; }));
    const HttpAnswer waits = http_get(hosts.ports[1], "/readyz");
    CHECK(waits.status == 503);
    CHECK(waits.body == "waits for the run to begin\n");
    CHECK(contains(http_get(hosts.ports[1], "/metrics").body, "hearsay_run_info{run=\"two \\\"hosts\\\"\""));
    const auto zero = hosts.start(0);
    REQUIRE(one->wait_until([&] { return http_get(hosts.ports[1], "/readyz").status == 200; }));
    REQUIRE(one->wait_until([&] { return rounds_of(hosts.ports[1], 1) > 10; }));
    REQUIRE(zero->wait_until([&] { return rounds_of(hosts.ports[0], 0) > 10; }));
    const std::string of_one = http_get(hosts.ports[1], "/metrics").body;
    CHECK_FALSE(contains(of_one, "peer=\"0\""));
    CHECK_FALSE(contains(of_one, "hearsay_loss"));
    CHECK(value_of(of_one, "hearsay_link_sent_bytes_total{peer=\"1\",to=\"0\"}") > 10 * 400);
    CHECK(value_of(of_one, "hearsay_peer_iteration{peer=\"1\"}") > 10);
    CHECK(value_of(of_one, "hearsay_peer_compute_seconds_total{peer=\"1\"}") > 0.05);
    const std::string of_zero = http_get(hosts.ports[0], "/metrics").body;
    CHECK_FALSE(contains(of_zero, "peer=\"1\""));
    CHECK(value_of(of_zero, "hearsay_loss") > 0);
    CHECK(value_of(of_zero, "hearsay_peers") == 2);
    CHECK(http_get(hosts.ports[0], "/else").status == 404);
    CHECK(http_get(hosts.ports[0], "/metrics", "another.site").status == 421);
    zero->signal_group(SIGINT);
    CHECK(zero->wait() == 130);
    CHECK(one->wait() == 130);
  }

  TEST_CASE("metrics: hearsay run tells of all its peers") {
    const DataFolder folder;
    folder.write("run.toml",
                 "model.kind = \"quadratic(500)\"\nrun.iterations = 1000000\nrun.evaluate_every = 5\n"
                 "network.compute = \"5 ms\"\n[topology]\nkind = \"ring\"\npeers = 3\n");
    const std::uint16_t port = port_of(free_address());
    Program run(folder.path(), {"run", "run.toml", "--metrics", std::to_string(port)}, Program::Output::file);
    REQUIRE(run.wait_until([&] { return rounds_of(port, 2) > 10; }));
    CHECK(http_get(port, "/readyz").status == 200);
    const std::string metrics = http_get(port, "/metrics").body;
    for (const char* link : {"peer=\"0\",to=\"1\"", "peer=\"1\",to=\"2\"", "peer=\"2\",to=\"0\""})
      CHECK(value_of(metrics, "hearsay_link_sent_bytes_total{" + std::string(link) + "}") > 0);
    CHECK(value_of(metrics, "hearsay_lost_peers") == 0);
    run.signal_group(SIGINT);
    CHECK(run.wait() == 130);
    CHECK(contains(run.complained(), "metrics at http://127.0.0.1:" + std::to_string(port) + "/metrics"));
  }

  TEST_CASE("metrics: a peer that is gone is counted, and its numbers stay where they were") {
    const DataFolder folder;
    folder.write("run.toml",
                 "model.kind = \"quadratic(500)\"\nrun.iterations = 1000000\nrun.evaluate_every = 5\n"
                 "network.compute = \"5 ms\"\nfailure.policy = \"drop\"\n[topology]\nkind = \"ring\"\n"
                 "peers = 4\n[[fault]]\nkind = \"kill\"\npeer = 2\nat = \"500 ms\"\n");
    const std::uint16_t port = port_of(free_address());
    Program run(folder.path(), {"run", "run.toml", "--metrics", std::to_string(port)}, Program::Output::file);
    const auto lost = [&] { return value_of(http_get(port, "/metrics").body, "hearsay_lost_peers"); };
    REQUIRE_MESSAGE(run.wait_until([&] { return lost() == 1; }), run.complained());
    const double then = rounds_of(port, 2);
    const double others = rounds_of(port, 0);
    REQUIRE(run.wait_until([&] { return rounds_of(port, 0) > others + 20; }));
    CHECK(rounds_of(port, 2) == then);
    run.signal_group(SIGINT);
    CHECK(run.wait() == 130);
  }

  TEST_CASE("metrics: a long gradient does not keep a peer from being ready") {
    const TwoHosts hosts;
    hosts.folder.write("run.toml",
                       "model.kind = \"quadratic(500)\"\nrun.iterations = 10\nnetwork.compute = \"1 min\"\n"
                       "[topology]\nfile = \"cluster.toml\"\n");
    const auto zero = hosts.start(0);
    const auto one = hosts.start(1);
    for (const std::uint16_t port : hosts.ports)
      CHECK(zero->wait_until([&] { return http_get(port, "/readyz").status == 200; }));
    zero->signal_group(SIGINT);
    zero->wait();
    one->wait();
  }

  TEST_CASE("metrics: the live page has them beside it") {
    const DataFolder folder;
    folder.write("run.toml",
                 "model.kind = \"quadratic(500)\"\nrun.iterations = 1000000\nnetwork.compute = \"5 ms\"\n");
    const std::uint16_t port = port_of(free_address());
    Program run(folder.path(), {"run", "run.toml", "--live=" + std::to_string(port)}, Program::Output::file);
    REQUIRE(run.wait_until([&] { return rounds_of(port, 0) > 10; }));
    CHECK(http_get(port, "/healthz").status == 200);
    CHECK(http_get(port, "/").status == 200);
    run.signal_group(SIGINT);
    CHECK(run.wait() == 130);
  }

  TEST_CASE("metrics: a port that is taken is refused before the run begins") {
    const DataFolder folder;
    folder.write("run.toml", "model.kind = \"quadratic(8)\"\nrun.iterations = 4\n");
    const HttpServer occupied({}, {});
    const std::string port = std::to_string(occupied.port());
    const ProgramEnd end = run_program(folder.path(), {"run", "run.toml", "--metrics", port});
    CHECK(end.code == 2);
    CHECK_MESSAGE(contains(end.complained, "--metrics = 127.0.0.1:" + port + ": nothing can listen there"),
                  end.complained);
  }

  TEST_CASE("metrics: promtool finds nothing to complain of, and Prometheus scrapes every peer") {
    if (!is_installed("prometheus")) {
      MESSAGE("skipped: metrics in Prometheus (prometheus is not installed)");
      return;
    }
    const TwoHosts hosts;
    const auto zero = hosts.start(0);
    const auto one = hosts.start(1);
    for (int id = 0; id < 2; ++id)
      REQUIRE(zero->wait_until([&] { return rounds_of(hosts.ports[id], id) > 10; }));
    for (const std::uint16_t port : hosts.ports) {
      hosts.folder.write("metrics.txt", http_get(port, "/metrics").body);
      const std::string text = hosts.folder.path() / "metrics.txt";
      CHECK(std::system(("promtool check metrics < " + text).c_str()) == 0);
    }
    const std::string monitor = free_address().substr(6);
    hosts.folder.write(
        "prometheus.yml",
        "scrape_configs:\n- job_name: hearsay\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\n"
        "  static_configs:\n  - targets: ['127.0.0.1:" +
            std::to_string(hosts.ports[0]) + "', '127.0.0.1:" + std::to_string(hosts.ports[1]) + "']\n");
    const Program prometheus(hosts.folder.path(), {}, Program::Output::file, [&] {
      execlp("prometheus", "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb",
             ("--web.listen-address=" + monitor).c_str(), "--log.level=error", nullptr);
    });
    const auto sum = [&] {
      return http_get(port_of(monitor), "/api/v1/query?query=count(hearsay_peer_gossip_rounds_total%3E10)")
          .body;
    };
    CHECK_MESSAGE(zero->wait_until([&] { return contains(sum(), ",\"2\"]"); }), sum());
    zero->signal_group(SIGINT);
    CHECK(zero->wait() == 130);
    CHECK(one->wait() == 130);
  }
}

}  // namespace hearsay::test::metrics_program_test

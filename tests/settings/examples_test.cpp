#include <doctest/doctest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "algorithms/methods/registry.hpp"
#include "runtime/cluster/placement.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "runtime/toml/document.hpp"

namespace hearsay::examples_test {

namespace {

const std::string examples = HEARSAY_SOURCE_DIR "/tools/examples/";

/// Returns the rest of the line after `key`.
std::string value_of(const std::string& text, const std::string& key) {
  const std::size_t found = text.find(key);
  REQUIRE(found != std::string::npos);
  const std::size_t begin = found + key.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("examples: the Kubernetes manifest gives every replica of its run an id and an address") {
  const std::string manifest = read_text_file(examples + "kubernetes/hearsay.yaml");
  const RunSettings settings = load_run_file(examples + "kubernetes/run.toml", {});
  CHECK(value_of(manifest, "replicas: ") == std::to_string(settings.topology.peers));
  std::string addresses = value_of(manifest, "HEARSAY_ADDRESSES\n              value: ");
  addresses = addresses.substr(1, addresses.size() - 2);
  const Placement last = placement_from({{"HEARSAY_ID", "hearsay-7"}, {"HEARSAY_ADDRESSES", addresses}},
                                        settings.topology.peers, false);
  CHECK(last.id == PeerId{7});
  CHECK(last.addresses.back() == "tcp://hearsay-7.hearsay:7000");
}

TEST_CASE("examples: the run with keys in Kubernetes is the one without, and reads the keys of its pod") {
  const std::string run = read_text_file(examples + "kubernetes/run.toml");
  const std::string with_keys = read_text_file(examples + "kubernetes-keys/run.toml");
  CHECK(with_keys.starts_with(run));
  setenv("HEARSAY_ID", "hearsay-3", 1);
  const RunSettings settings = load_run_file(examples + "kubernetes-keys/run.toml", {});
  unsetenv("HEARSAY_ID");
  CHECK(settings.security.authorized == "/keys/cluster.keys");
  CHECK(settings.security.secret == "/keys/hearsay-3.key");
}

TEST_CASE("examples: the Slurm script starts as many tasks as its run has peers") {
  const RunSettings settings = load_run_file(examples + "slurm.toml", {});
  CHECK(value_of(read_text_file(examples + "slurm.sh"), "--ntasks=") ==
        std::to_string(settings.topology.peers));
}

TEST_CASE("examples: the topology to launch has hosts, addresses and what ssh needs for every peer") {
  setenv("HOME", "/home/me", 1);
  const NamedTopology cluster = load_topology_file(examples + "launch.toml", 1);
  REQUIRE(cluster.peers.size() == 8);
  CHECK(cluster.peers[7] ==
        NamedPeer{
            "b4",
            "tcp://10.0.0.4:7001",
            "node04",
            {},
            {"trainer", 0, {"/home/me/.ssh/cluster", ""}, {}, "/opt/hearsay/bin/hearsay", "experiments"}});
}

TEST_CASE(
    "examples: every sweep under bench/ can be read, and those of ResNet-20's size have as many parameters") {
  setenv("HEARSAY_DATA_DIR", "/no-data-here", 0);  // they are read, not run
  std::set<std::string> sized;
  std::vector<std::filesystem::directory_entry> files;
  for (const char* const folder : {HEARSAY_SOURCE_DIR "/bench/sweeps", HEARSAY_SOURCE_DIR "/bench/papers"})
    for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file);
  for (const auto& file : files) {
    if (file.path().extension() != ".toml") continue;
    CAPTURE(file.path().string());
    const Sweep sweep = load_sweep(file.path(), {});
    CHECK(sweep.points.size() > 1);
    const bool is_paper = file.path().parent_path().filename() == "papers";
    CHECK(sweep.about.size() == (is_paper ? 3 : 0));
    if (is_paper) CHECK_FALSE(sweep.claims.empty());
    CHECK(sweep.title.empty() != is_paper);
    if (read_text_file(file.path()).find("272,474") == std::string::npos) continue;
    RunSettings smallest = sweep.points.front().run;
    if (smallest.model.kind == "program") continue;  // the program says how many it has
    smallest.data.source =
        std::regex_replace(smallest.data.source, std::regex("samples=[0-9]+"), "samples=64");
    CHECK(prepare<float>(smallest).problem.initial.size() == 272'474);
    sized.insert(file.path().stem().string());
  }
  CHECK(sized ==
        std::set<std::string>{"epoch-time", "loss-per-epoch", "low-bits", "scaling", "slow-network"});
}

TEST_CASE("examples: every option of a method, and what a hub can have, stands in a run file or a sweep") {
  std::string all;
  for (const char* const folder : {HEARSAY_SOURCE_DIR "/bench", HEARSAY_SOURCE_DIR "/tools"})
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
      if (file.path().extension() == ".toml") all += "\n" + read_text_file(file.path());
  const auto is_shown = [&](const std::string& what) { return std::regex_search(all, std::regex(what)); };
  for (const OptionRow* option : option_rows()) {
    CAPTURE(option->name);
    CHECK(is_shown("\n(algorithm\\.)?" + option->name + " = "));
  }
  for (const char* const key : {"round_deadline = ", "hub_standby = ", "join_later = ", "\"hub-tree\\("}) {
    CAPTURE(key);
    CHECK(is_shown(key));
  }
}

TEST_CASE("examples: every entry of the gallery of papers has one row in the tables of its README") {
  const std::string folder = HEARSAY_SOURCE_DIR "/bench/papers";
  std::multiset<std::string> rows;
  const std::string text = read_text_file(folder + "/README.md");
  const std::regex row("(^|\n)\\| `([a-z0-9-]+)` \\|");
  for (std::sregex_iterator found(text.begin(), text.end(), row), end; found != end; ++found)
    rows.insert((*found)[2]);
  std::multiset<std::string> entries;
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().extension() == ".toml") entries.insert(file.path().stem().string());
  CHECK(rows == entries);
}

}  // namespace hearsay::examples_test

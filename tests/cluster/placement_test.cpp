#include "runtime/cluster/placement.hpp"

#include <doctest/doctest.h>

#include "runtime/cluster/addresses.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::placement_test {

namespace {

using Texts = std::vector<std::string>;

/// The environment of a Slurm job step: six tasks on three nodes.
Environment slurm() {
  return {{"SLURM_PROCID", "3"},
          {"SLURM_STEP_NODELIST", "node[08-09],gpu1"},
          {"SLURM_JOB_NODELIST", "x[1-9]"},
          {"SLURM_STEP_TASKS_PER_NODE", "2(x3)"},
          {"SLURM_TASKS_PER_NODE", "9"},
          {"SLURM_NODEID", "1"},
          {"SLURM_LOCALID", "1"}};
}

std::string refusal(const Environment& environment, PeerId peers, bool has_addresses = false) {
  return misuse_text([&] { placement_from(environment, peers, has_addresses); });
}

Environment with(Environment environment, const std::string& name, const std::string& value) {
  environment[name] = value;
  return environment;
}

}  // namespace

TEST_CASE("place: an environment that says nothing says nothing") {
  CHECK(placement_from({}, 8, false) == Placement{});
  CHECK(placement_from({{"HEARSAY_ID", ""}, {"HOME", "/"}, {"SLURM_PROCID", ""}}, 8, true) == Placement{});
}

TEST_CASE("place: a StatefulSet's pods are told by their names") {
  const Placement place = placement_from({{"HEARSAY_ID", "my-hearsay-2"},
                                          {"HEARSAY_ADDRESSES", "tcp://hearsay-[0-2].hearsay:7000"},
                                          {"HEARSAY_BIND", "*"}},
                                         3, true);
  CHECK(place.id == PeerId{2});
  CHECK(place.addresses == Texts{"tcp://hearsay-0.hearsay:7000", "tcp://hearsay-1.hearsay:7000",
                                 "tcp://hearsay-2.hearsay:7000"});
  CHECK(place.observer.empty());
  CHECK(place.bind == "*");
  CHECK(placement_from({{"HEARSAY_ID", "0"}}, 3, true).id == PeerId{0});
}

TEST_CASE("place: what is wrong is named with its variable") {
  CHECK(refusal({{"HEARSAY_ID", "3"}}, 3) ==
        "HEARSAY_ID = \"3\": expected a peer's id, 0 to 2, of the topology");
  for (const std::string id : {"-1", "a", "a-", "1.0", " 1", "99999999999999999999"})
    CHECK(contains(refusal({{"HEARSAY_ID", id}}, 3), "HEARSAY_ID = \"" + id + "\": expected a peer's id"));
  CHECK(refusal({{"HEARSAY_ADDRESSES", "tcp://h[1-4]:1"}}, 3) ==
        "HEARSAY_ADDRESSES = \"tcp://h[1-4]:1\": expected 3 addresses, one for each peer of the topology, "
        "not 4");
  CHECK(contains(refusal({{"HEARSAY_ADDRESSES", "tcp://a:1,tcp://b:1,c"}}, 3),
                 "HEARSAY_ADDRESSES = \"c\": expected \"tcp://HOST:PORT\""));
  CHECK(
      contains(refusal({{"HEARSAY_ADDRESSES", "tcp://a:1,tcp://b:1,tcp://a:1"}}, 3), "not tcp://a:1 twice"));
  CHECK(contains(refusal({{"HEARSAY_ADDRESSES", "tcp://a[3-1]:1"}}, 3), "HEARSAY_ADDRESSES = "));
  CHECK(contains(refusal({{"HEARSAY_OBSERVER", "h"}}, 3), "HEARSAY_OBSERVER = \"h\": expected \"tcp://"));
}

TEST_CASE("place: a Slurm step gives ids, nodes and ports") {
  const Placement place = placement_from(slurm(), 6, false);
  CHECK(place.id == PeerId{3});
  CHECK(place.addresses == Texts{"tcp://node08:7000", "tcp://node08:7001", "tcp://node09:7000",
                                 "tcp://node09:7001", "tcp://gpu1:7000", "tcp://gpu1:7001"});
  CHECK(placement_from(with(slurm(), "HEARSAY_PORT", "9000"), 6, false).addresses[5] == "tcp://gpu1:9001");

  Environment cyclic =
      with(with(slurm(), "SLURM_DISTRIBUTION", "cyclic"), "SLURM_STEP_TASKS_PER_NODE", "3,2,1");
  cyclic["SLURM_NODEID"] = "0";
  CHECK(placement_from(cyclic, 6, false).addresses == Texts{"tcp://node08:7000", "tcp://node09:7000",
                                                            "tcp://gpu1:7000", "tcp://node08:7001",
                                                            "tcp://node09:7001", "tcp://node08:7002"});
  Environment job = slurm();
  job.erase("SLURM_STEP_NODELIST");
  job.erase("SLURM_STEP_TASKS_PER_NODE");
  job["SLURM_JOB_NODELIST"] = "only";
  job["SLURM_TASKS_PER_NODE"] = "6";
  job["SLURM_NODEID"] = "0";
  job["SLURM_LOCALID"] = "3";
  CHECK(placement_from(job, 6, false).addresses[3] == "tcp://only:7003");
}

TEST_CASE("place: the topology's own addresses win over Slurm's, ours over both") {
  CHECK(placement_from(slurm(), 8, true).addresses.empty());
  CHECK(placement_from(slurm(), 8, true).id == PeerId{3});
  const Environment both = with(with(slurm(), "HEARSAY_ID", "0"), "HEARSAY_ADDRESSES", "tcp://a:1,tcp://b:1");
  CHECK(placement_from(both, 2, true) == Placement{0, {"tcp://a:1", "tcp://b:1"}, "", ""});
}

TEST_CASE("place: a step that does not fit the topology, or is distributed in another way, is refused") {
  CHECK(refusal(slurm(), 8) ==
        "SLURM_STEP_TASKS_PER_NODE = \"2(x3)\": expected 8 tasks, one for each peer of the topology: srun -n "
        "8");
  CHECK(contains(refusal(with(slurm(), "SLURM_LOCALID", "0"), 6),
                 "SLURM_LOCALID = \"0\": expected 1 for task 3: tasks must be distributed"));
  CHECK(contains(refusal(with(slurm(), "SLURM_NODEID", "0"), 6),
                 "SLURM_NODEID = \"0\": expected 1 for task 3"));
  for (const std::string bad : {"2(x3", "2(x)", "x", "2,,2", "2(x2)3", "2(y3)"})
    CHECK(contains(refusal(with(slurm(), "SLURM_STEP_TASKS_PER_NODE", bad), 6), "as Slurm writes it"));
  for (const std::string bad : {"2(x4)", "2,2", "2(x99999999999)"})
    CHECK(contains(refusal(with(slurm(), "SLURM_STEP_TASKS_PER_NODE", bad), 6), "names, 3"));
  CHECK(contains(refusal(with(slurm(), "HEARSAY_PORT", "65535"), 6),
                 "HEARSAY_PORT = \"65535\": expected a port"));
  CHECK(contains(refusal(with(slurm(), "HEARSAY_PORT", "x"), 6),
                 "HEARSAY_PORT = \"x\": expected a whole number"));
  CHECK(contains(refusal(with(slurm(), "SLURM_PROCID", "6"), 6),
                 "SLURM_PROCID = \"6\": expected a peer's id, 0 to 5"));
  CHECK(contains(refusal({{"SLURM_PROCID", "0"}}, 1), "SLURM_JOB_NODELIST = (not set)"));
}

TEST_CASE("place: who is reached by a name listens on every interface, by a number on that") {
  CHECK(bind_address("tcp://10.0.0.1:7000", "") == "tcp://10.0.0.1:7000");
  CHECK(bind_address("tcp://[::1]:7000", "") == "tcp://[::1]:7000");
  CHECK(bind_address("tcp://node1:7000", "") == "tcp://*:7000");
  CHECK(bind_address("tcp://localhost:7000", "") == "tcp://127.0.0.1:7000");
  CHECK(bind_address("tcp://node1:7000", "eth1") == "tcp://eth1:7000");
  CHECK(bind_address("tcp://10.0.0.1:7000", "*") == "tcp://*:7000");
  CHECK(default_observer("tcp://[::1]:7000") == "tcp://[::1]:6999");
  CHECK(default_observer("tcp://a:1") == "tcp://a:2");
}

}  // namespace hearsay::placement_test

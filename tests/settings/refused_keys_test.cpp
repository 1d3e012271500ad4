#include <doctest/doctest.h>

#include <string>

#include "tests/settings/run_file_text.hpp"

namespace hearsay::refused_keys_test {

TEST_CASE("config: a word of another program for a key of the same table is understood") {
  const auto meant = [](const std::string& assignment, const std::string& key) {
    const std::string message = refusal("", {assignment});
    CAPTURE(message);
    CHECK(message.ends_with(": unknown key, did you mean " + key + "?"));
  };
  meant("algorithm.name=\"d-psgd\"", "algorithm.kind");
  meant("model.name=\"softmax\"", "model.kind");
  meant("topology.name=\"ring\"", "topology.kind");
  meant("topology.n=4", "topology.peers");
  meant("algorithm.lr=0.1", "algorithm.step_size");
  meant("algorithm.learning_rate=0.1", "algorithm.step_size");
  meant("network.speed=\"1 Mbit/s\"", "network.bandwidth");
  meant("data.kind=\"csv:x\"", "data.source");
  meant("run.steps=10", "run.iterations");
  // A key that belongs elsewhere is still looked for elsewhere.
  meant("network.step_size=1", "algorithm.step_size");
}

TEST_CASE("config: the former key form is refused with the name of the key that the method has instead") {
  const std::string place = "test.toml:1: algorithm.form: is now ";
  CHECK(refusal("algorithm = { kind = \"dcd-psgd\", form = \"adapt-then-combine\" }") ==
        place + "algorithm.order for dcd-psgd; expected algorithm.order = \"adapt-then-combine\"");
  CHECK(
      refusal("algorithm.kind = \"artemis\"", {"algorithm.form=pp1"}) ==
      "--set: algorithm.form: is now algorithm.memories for artemis; expected algorithm.memories = \"pp1\"");
  CHECK(refusal("algorithm.kind = \"gas-loc\"", {"algorithm.form=published"}) ==
        "--set: algorithm.form: is now algorithm.mixes for gas-loc; expected algorithm.mixes = \"models\"");
  CHECK(refusal("algorithm.kind = \"demo\"", {"algorithm.form=signed"}) ==
        "--set: algorithm.form: is now algorithm.signs for demo; expected algorithm.signs = \"signed\"");
  CHECK(contains(
      refusal("algorithm.kind = \"d2\"", {"algorithm.form=plain"}),
      "is now four keys (algorithm.order, algorithm.signs, algorithm.memories, algorithm.mixes), and "
      "d2 reads none of them; leave it out"));
}

TEST_CASE("config: a table in one bracket that belongs into two is called that, and one with an s") {
  CHECK(refusal("[network.peer]\nid = 0") ==
        "test.toml:1: network.peer: expected [[network.peer]] for each peer, not [network.peer]");
  CHECK(refusal("[[network.links]]\nfrom = 0") ==
        "test.toml:1: network.links: expected [[network.link]] for each link, not [[network.links]]");
  CHECK(refusal("[fault]\npeer = 0") == "test.toml:1: fault: expected [[fault]] for each fault, not [fault]");
  CHECK(refusal("[[faults]]\npeer = 0") ==
        "test.toml:1: faults: expected [[fault]] for each fault, not [[faults]]");
  CHECK(refusal("[sweep.variant]\nname = \"a\"") ==
        "test.toml:1: sweep.variant: expected [[sweep.variant]] for each variant, not [sweep.variant]");
}

TEST_CASE("config: spaces around the key and the value of an assignment do not count") {
  CHECK(parse_run("", ".", {" run.seed = 7 "}, "test.toml").run.seed == 7);
  CHECK(parse_run("", ".", {"algorithm.kind = d-psgd"}, "test.toml").algorithm.kind == "d-psgd");
}

TEST_CASE("config: an assignment has no lines, so no message of one names a line") {
  CHECK(contains(refusal("", {"network.link=[{from=0,to=0}]"}), "--set: network.link.to = 0"));
  CHECK(contains(refusal("", {"network={latency=5}"}), "--set: network.latency = 5"));
}

TEST_CASE("config: a run's name is not blank") {
  for (const std::string name : {" ", "\\t"}) {
    CAPTURE(name);
    CHECK(contains(refusal("run.name = \"" + name + "\""), ": expected "));
  }
}

TEST_CASE("config: data.memory is a size or a share, and more than nothing") {
  for (const std::string text : {"\"8 GB\"", "\"50%\"", "\"100%\""}) {
    CAPTURE(text);
    CHECK(refusal("data.memory = " + text) == "");
  }
  CHECK(refusal("data.memory = 8") ==
        "test.toml:1: data.memory = 8: expected a size or a share of this machine's memory, such as \"8 GB\" "
        "or "
        "\"50%\"");
  CHECK(contains(refusal("data.memory = \"0%\""), "data.memory = \"0%\": expected a share above 0%"));
  CHECK(contains(refusal("data.memory = \"0 GB\""), "expected a number > 0 and a unit"));
  CHECK(contains(refusal("data.memory = \"101%\""), "expected a share between 0 and 1"));
}

TEST_CASE("config: the two paths of a data source may have spaces around them") {
  CHECK(parse_run("data.source = \"npy: X.npy , y.npy\"", "/d", {}, "test.toml").data.source ==
        "npy:/d/X.npy,/d/y.npy");
}

}  // namespace hearsay::refused_keys_test

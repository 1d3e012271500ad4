#include "runtime/settings/key_reference.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/document.hpp"
#include "tests/settings/run_file_text.hpp"

namespace hearsay::key_reference_test {

namespace {

const KeyInfo& info_of(const std::string& key) {
  const auto found = std::ranges::find(key_reference(), key, &KeyInfo::key);
  REQUIRE(found != key_reference().end());
  return *found;
}

}  // namespace

TEST_CASE("key reference: every key of a run file and of [sweep] is there once, in their order") {
  std::vector<std::string> keys = run_file_keys();
  keys.insert(keys.end(), {"sweep.driver", "sweep.baseline", "sweep.repeat", "sweep.tune", "sweep.variant",
                           "sweep.title", "sweep.about", "sweep.claim", "sweep.not_reproduced", "sweep.KEY"});
  std::vector<std::string> listed;
  for (const KeyInfo& info : key_reference()) listed.push_back(info.key);
  CHECK(listed == keys);
}

TEST_CASE("key reference: no cell is empty") {
  for (const KeyInfo& info : key_reference()) {
    CAPTURE(info.key);
    CHECK(!info.type.empty());
    CHECK(!info.default_value.empty());
    CHECK(!info.read_by.empty());
    CHECK(!info.description.empty());
  }
}

TEST_CASE("key reference: a default that is a value changes nothing if it is written") {
  for (const KeyInfo& info : key_reference()) {
    // A method's option is unset until the method is known. The output's default contains the run's name.
    const bool is_option = std::ranges::any_of(
        option_rows(), [&](const OptionRow* row) { return info.key == "algorithm." + row->name; });
    if (is_option || info.key == "run.output" || info.key.starts_with("sweep.")) continue;
    if (!parse_toml_value(info.default_value, "default")) continue;
    CAPTURE(info.key);
    CHECK(parse(info.key + " = " + info.default_value) == parse(""));
  }
}

TEST_CASE("key reference: types, defaults and readers are those of the rows") {
  CHECK(info_of("run.seed").type == "whole number >= 0");
  CHECK(info_of("run.seed").default_value == "1");
  CHECK(info_of("run.evaluate_every").type == "iterations >= 1, or a time");
  CHECK(info_of("run.scalar").type == "\"float\" or \"double\"");
  CHECK(info_of("failure.lost_after").default_value == "\"60 s\"");
  CHECK(info_of("failure.checkpoint_every").default_value == "0");
  CHECK(info_of("algorithm.momentum").type == "number of at least 0 and less than 1");
  CHECK(info_of("algorithm.momentum").default_value == "the method's own, 0 to 0.9");
  CHECK(info_of("algorithm.momentum").read_by == "qg-momentum, decentlam, ef21, ef21-bc, cd-adam, chb");
  CHECK(info_of("algorithm.consensus_step").default_value == "the method's own, 0.05 to 1");
  CHECK(info_of("algorithm.gossip").type == "\"plain\" or \"chebyshev\"");
  CHECK(info_of("sweep.driver").default_value == "\"run\"");
}

TEST_CASE("key reference: a long cell of a table is its first clause") {
  const std::string rest(110, 'x');
  CHECK(cell_text("short; and whole") == "short; and whole");
  CHECK(cell_text("how far the memories follow; " + rest) == "how far the memories follow ...");
  CHECK(cell_text("eta: how far the memories follow. " + rest) == "eta: how far the memories follow ...");
  CHECK(cell_text("in `a; b`, (c; d), 1, 2, ... times: " + rest) == "in `a; b`, (c; d), 1, 2, ... times ...");
  CHECK(cell_text("without an end " + rest) == "without an end " + rest);
  const auto readers = std::ranges::count_if(
      methods(), [](const MethodInfo& method) { return method.options.has(option::optimizer); });
  CHECK(contains(keys_markdown(), "| `algorithm.optimizer` | spelling | the method's own | " +
                                      std::to_string(readers) + " methods |"));
}

}  // namespace hearsay::key_reference_test

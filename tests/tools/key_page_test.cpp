#include "tools/manual/key_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/settings/key_reference.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tools/manual/key_examples.hpp"
#include "tools/manual/registries.hpp"

namespace hearsay::test::key_page_test {

namespace {

const KeyInfo& key_named(const std::string& key) {
  const auto found = std::ranges::find(key_reference(), key, &KeyInfo::key);
  REQUIRE(found != key_reference().end());
  return *found;
}

std::string page_of(const std::string& key) { return page_text(key_page(key_named(key))); }

const OptionRow* option_of(const std::string& key) {
  for (const OptionRow* const row : option_rows())
    if (key == "algorithm." + row->name) return row;
  return nullptr;
}

/// Returns the folder of the files that examples name.
const TemporaryFolder& folder() {
  static const TemporaryFolder folder("hearsay_key_page");
  static const bool filled = [] {
    folder.write("cluster.toml", "family = \"ring\"\npeers = 5\n");
    folder.write("links.toml", "peers = 8\nlatency = \"1 ms\"\nbandwidth = \"10 Mbit/s\"\n");
    std::string trace = "peer,from,to\n";
    for (std::size_t peer = 0; peer < RunSettings().topology.peers; ++peer)
      trace += std::to_string(peer) + ",0,60\n";
    folder.write("trace.csv", trace);
    folder.write("cluster.graphml",
                 "<graphml><graph edgedefault=\"undirected\"><node id=\"0\"/><node id=\"1\"/>"
                 "<edge source=\"0\" target=\"1\"/></graph></graphml>");
    return true;
  }();
  REQUIRE(filled);
  return folder;
}

}  // namespace

TEST_CASE("key page: the example of every key is read, and sets it to another value than the default") {
  for (const KeyInfo& key : key_reference()) {
    CAPTURE(key.key);
    const std::string example = key_example(key);
    CAPTURE(example);
    if (key.key.starts_with("sweep.")) {
      CHECK(misuse_text([&] { parse_sweep(example, folder().path(), {}, "sweep.toml"); }).empty());
      continue;
    }
    const RunSettings settings = parse_run(example, folder().path());
    CHECK(settings != parse_run("", folder().path()));
    if (const OptionRow* const option = option_of(key.key)) {
      CHECK(settings.algorithm.options.has(*option));
      CHECK(misuse_text([&] {
              resolved_options(settings.algorithm.options, find_method(settings.algorithm.kind));
            }).empty());
    }
  }
}

TEST_CASE("key page: of every key it says type, default and an example, in 110 columns") {
  for (const KeyInfo& key : key_reference()) {
    CAPTURE(key.key);
    const std::string page = page_of(key.key);
    CHECK(page.starts_with(key.key + "  (key of ["));
    for (const char* const heading : {"\nWhat it may be\n", "\n  type ", "\n  default ", "\nAn example\n"})
      CHECK(contains(page, heading));
    CHECK_FALSE(contains(page, "`"));
  }
}

TEST_CASE("key page: an option stands with every method that reads it, and the default of each") {
  const std::string page = page_of("algorithm.local_steps");
  for (const MethodInfo& method : methods())
    for (const MethodOptions::Entry& entry : method.options)
      if (entry.row->name == "local_steps") CHECK(contains(page, "\n  " + method.name + " "));
  CHECK(contains(page, "  fed-vote           40\n"));
  CHECK(contains(page, "  * algorithm.local_steps = -1: expected a whole number >= 1\n"));
  CHECK(contains(page, "allreduce-sgd does not read it; leave it out (those that do: d-psgd,"));
  CHECK(contains(page_of("algorithm.inner_growth"),
                 "dpsvrg  1.2; not read with estimator = loopless-svrg or estimator = saga\n"));
}

TEST_CASE("key page: a key of a table that may stand several times leads to the table's page") {
  for (const char* part : {"fault.kind", "fault.random.kills"}) {
    const std::vector<Page> pages = pages_named(part, "");
    REQUIRE(pages.size() == 1);
    CHECK(page_text(pages.front()) == page_of("fault"));
  }
  CHECK(contains(misuse_text([] { pages_named("algorithm.compressor.kind", ""); }), "nothing of that name"));
}

TEST_CASE("key page: keys that go with it, and those that exclude it") {
  const std::string later = page_of("failure.join_later");
  CHECK(contains(later, "\nKeys that go with it\n  failure.policy  "));
  CHECK(contains(later, "    policy = \"drop\"\n    join_later = [4, 6]\n"));
  const std::string epochs = page_of("run.epochs");
  CHECK(contains(epochs, "  excludes  run.iterations; a later layer"));
  CHECK(contains(epochs, "  * run.epochs: give run.epochs or run.iterations, not both\n"));
  CHECK_FALSE(contains(epochs, "Keys that go with it"));
  // The bandwidth of both directions may stand beside that of one.
  CHECK_FALSE(contains(page_of("network.bandwidth_up"), "excludes  network.bandwidth,"));
  CHECK(contains(page_of("topology.round_deadline"), "methods whose hub may close a round: fed-avg, "));
}

}  // namespace hearsay::test::key_page_test

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "algorithms/methods/d_psgd.hpp"
#include "algorithms/methods/own_methods.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/settings/key_reference.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tests/layer_parallel/example_run.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/advise/advice.hpp"
#include "tools/advise/candidates.hpp"
#include "tools/manual/key_page.hpp"
#include "tools/manual/registries.hpp"

namespace hearsay::layer_parallel::test::own_method_advice_test {

namespace {

const NumberOption pull("pull", {0.0, 1.0}, "how far a step goes back");

/// Makes known three methods from outside of the library, which compute as d-psgd does: one says what advise
/// tries, one that it tries nothing, one says nothing.
void know_three() {
  if (method_named("own-told")) return;
  MethodInfo own = d_psgd_info();
  own.aliases = {};
  own.options.set(pull, 0.25);
  own.name = "own-told";
  own.trials = {
      .with = {{.because = "half as many rounds",
                .iterations = 0.5,
                .options = {{hearsay::option::local_steps, 2}}},
               {.because = "one neighbor", .only_on = ScheduledTopology{"ring", "one-peer-exponential"}}}};
  add_method(own);
  own.name = "own-never";
  own.trials = {.none_because = "it is an exercise"};
  add_method(own);
  own.name = "own-silent";
  own.trials = {};
  add_method(own);
}

RunSettings four_peers() {
  return parse_run(
      "run = { iterations = 60, evaluate_every = 2, target_loss = 1500 }\nmodel.kind = \"quadratic(4000)\"\n"
      "topology = { kind = \"ring\", peers = 4 }\nnetwork = { compute = \"4 ms\", latency = \"5 ms\" }\n"
      "algorithm = { kind = \"allreduce-sgd\", step_size = 0.1, batch = \"full\" }\n");
}

std::vector<Candidate> candidates_of(const std::string& method) {
  std::vector<Candidate> candidates = candidates_beside(four_peers());
  std::erase_if(candidates,
                [&](const Candidate& candidate) { return candidate.settings.algorithm.kind != method; });
  return candidates;
}

}  // namespace

TEST_CASE("own method: advise tries it with what it says, on every topology or on the one that it names") {
  know_three();
  const std::vector<Candidate> candidates = candidates_of("own-told");
  const auto with_two_steps = [](const Candidate& candidate) {
    return candidate.settings.algorithm.options.find(hearsay::option::local_steps) == 2 &&
           candidate.iterations == 0.5;
  };
  const auto with_one_neighbor = [](const Candidate& candidate) {
    return candidate.settings.topology.schedule == "one-peer-exponential" && candidate.iterations == 1.0;
  };
  CHECK(std::ranges::count_if(candidates, with_two_steps) > 1);
  CHECK(std::ranges::count_if(candidates, with_one_neighbor) == 1);
  CHECK(static_cast<std::size_t>(std::ranges::count_if(candidates, with_two_steps)) + 1 == candidates.size());
}

TEST_CASE("own method: advise tries one that says nothing with its defaults, and not one that says why not") {
  know_three();
  const std::vector<Candidate> candidates = candidates_of("own-silent");
  CHECK(candidates.size() == candidates_of("own-told").size() - 1);
  for (const Candidate& candidate : candidates) {
    CHECK(candidate.settings.algorithm.options.empty());
    CHECK(candidate.settings.algorithm.compressor == d_psgd_info().default_compressor);
  }
  CHECK(candidates_of("own-never").empty());
}

TEST_CASE("own method: advise trains it and ranks it, as it does one of the library") {
  know_three();
  AdviceControl control;
  control.patience = std::chrono::hours(10);
  const RankedAdvice advice = advise<float>(four_peers(), control);
  std::vector<Prospect> all = advice.ranked;
  all.insert(all.end(), advice.left_out.begin(), advice.left_out.end());
  const auto fate_of = [&](const std::string& method) {
    const auto found = std::ranges::find_if(all, [&](const Prospect& prospect) {
      return prospect.settings.algorithm.kind == method && prospect.settings.topology.schedule == "static";
    });
    REQUIRE(found != all.end());
    return *found;
  };
  CHECK(fate_of("own-told").fate != Fate::refused);
  // They compute the same, and d-psgd comes first.
  CHECK(fate_of("own-silent").fate != Fate::refused);
  if (fate_of("own-silent").fate == Fate::reached && fate_of("d-psgd").fate == Fate::reached)
    CHECK(fate_of("own-silent").seconds == fate_of("d-psgd").seconds);
}

TEST_CASE("own method: it has a page, its key has one, and the pages of shared keys name it") {
  know_three();
  const std::string page = page_text(pages_named("own-told", "").front());
  CHECK(contains(page, "\nWhat hearsay advise tries\n  local_steps = 2  half as many rounds\n"));
  CHECK(contains(page, "  pull "));
  CHECK_FALSE(contains(page, "algorithms/methods/"));
  CHECK(is_from_outside(find_method("own-told")));
  CHECK_FALSE(is_from_outside(find_method("d-psgd")));
  CHECK(contains(page_text(pages_named("own-never", "method").front()), "Nothing: it is an exercise.\n"));
  const auto key = std::ranges::find(key_reference(), "algorithm.pull", &KeyInfo::key);
  REQUIRE(key != key_reference().end());
  const std::string of_key = page_text(key_page(*key));
  CHECK(contains(of_key, "  own-told    0.25\n"));
  CHECK(contains(of_key, "    kind = \"own-told\"\n    pull = 0.25\n"));
  CHECK(contains(page_text(pages_named("algorithm.local_steps", "").front()), "\n  own-silent "));
}

}  // namespace hearsay::layer_parallel::test::own_method_advice_test

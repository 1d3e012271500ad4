#include "algorithms/methods/own_methods.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/run_view.hpp"
#include "runtime/settings/key_reference.hpp"
#include "tests/layer_parallel/example_run.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::layer_parallel::test::own_method_test {

TEST_CASE("layer-parallel: a method of one's own has a name of its own") {
  know_the_methods();
  CHECK(find_method(lagrangian).name == lagrangian);
  CHECK(contains(misuse_text([] { add_method(layer_parallel_lagrangian_info()); }), "a method is called so"));
  MethodInfo taken = layer_parallel_lagrangian_info();
  taken.name = "of-my-own";
  taken.aliases = {"fedavg"};
  CHECK(contains(misuse_text([&] { add_method(taken); }), "fedavg"));
  CHECK(contains(misuse_text([] { find_method("layer-parallel-penalti"); }), penalty));
}

TEST_CASE("layer-parallel: the keys that a method brings are keys of run files and of the manual") {
  know_the_methods();
  CHECK(std::ranges::any_of(methods(), [](const MethodInfo& method) { return method.name == lagrangian; }));
  const auto key = std::ranges::find(key_reference(), "algorithm.penalty", &KeyInfo::key);
  REQUIRE(key != key_reference().end());
  CHECK(key->type == "number greater than 0");
  CHECK(key->default_value == "1");
  CHECK(key->read_by == penalty + ", " + lagrangian);
  CHECK(contains(keys_markdown(), "`algorithm.serial_every` | whole number >= 0 | `20`"));
}

TEST_CASE("layer-parallel: run.toml has the keys that a method brings, and they are read back") {
  const auto written = [](const std::string& more) {
    return to_toml(experiment_of<double>(lagrangian, {.more = more}).settings);
  };
  const std::string text = written("penalty = 0.5");
  CHECK(contains(text, "\npenalty = 0.5\n"));
  CHECK(contains(text, "\nserial_every = 20\n"));
  const RunSettings again = parse_run(text);
  CHECK(again.algorithm.options[option::penalty] == 0.5);
  CHECK(again.algorithm.options[option::serial_every] == 20);
}

TEST_CASE("layer-parallel: a key that a method brings is refused for others, and if it is misspelled") {
  know_the_methods();
  const auto refusal = [](const std::string& toml) {
    return misuse_text(
        [&] { prepare<double>(parse_run(toml + "\ntopology.peers = 3\nmodel.kind = \"quadratic(4)\"\n")); });
  };
  CHECK(refusal("algorithm.kind = \"d-psgd\"\nalgorithm.penalty = 2") ==
        "algorithm.penalty = 2: d-psgd does not read it; leave it out (those that do: " + penalty + ", " +
            lagrangian + ")");
  CHECK(contains(refusal("algorithm.penalt = 2"), "did you mean algorithm.penalty?"));
}

TEST_CASE("layer-parallel: a method of one's own brings no key that means something else already") {
  know_the_methods();
  const auto refusal = [](const char* name) {
    static const CountOption of_all("batch", {1}, "");
    static const NumberOption of_another("penalty", {0.0, 1.0}, "");
    MethodInfo info = layer_parallel_lagrangian_info();
    info.name = "of-my-own";
    info.options =
        std::string(name) == "batch" ? MethodOptions{{of_all, 1}} : MethodOptions{{of_another, 0.5}};
    return misuse_text([&] { add_method(info); });
  };
  for (const char* name : {"batch", "penalty"})
    CHECK(contains(refusal(name), std::string("algorithm.") + name + " = an option: there is another key"));
}

TEST_CASE("layer-parallel: a method of one's own has checks and defaults of its own") {
  static const bool known = [] {
    MethodInfo info = layer_parallel_lagrangian_info();
    info.name = "short-steps";
    info.default_step_size = 0.05;
    info.check = [](const RunView& view, Advice& advice) {
      if (view.step_size > 0.1) advice.unsound("algorithm.step_size", "too long", "expected at most 0.1");
      if (view.options[option::serial_every] == 0) advice.warn("nothing is serial");
    };
    add_method(info);
    return true;
  }();
  REQUIRE(known);
  CHECK(parse_run("algorithm.kind = \"short-steps\"").algorithm.step_size == 0.05);
  CHECK(experiment_of<double>("short-steps", {.step_size = "0.1"}).warnings.empty());
  CHECK(
      misuse_text([] { experiment_of<double>("short-steps", {.step_size = "0.2"}); }) ==
      "algorithm.step_size = too long: expected at most 0.1 (algorithm.allow_unsound = true tries it all the "
      "same)");
  const auto allowed = experiment_of<double>(
      "short-steps", {.step_size = "0.2", .more = "serial_every = 0, allow_unsound = true"});
  CHECK(allowed.warnings == std::vector<std::string>{"algorithm.step_size = too long: expected at most 0.1",
                                                     "nothing is serial"});
}

}  // namespace hearsay::layer_parallel::test::own_method_test

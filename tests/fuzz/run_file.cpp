// A run file, read as one run and as a sweep.
#include <string>

#include "runtime/settings/run_settings_file.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).text();
  fuzz::may_refuse([&] {
    const RunSettings settings = parse_run(text, "/", {}, "run.toml");
    ensure(parse_run(to_toml(settings), "/elsewhere") == settings,
           "a resolved run file reads back as the same run");
  });
  fuzz::may_refuse([&] { parse_sweep(text, "/", {}, "sweep.toml"); });
  return 0;
}

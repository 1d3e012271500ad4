#pragma once

#include <string>
#include <vector>

#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay {

/// A run file from text, as if it were /runfiles/test.toml.
inline RunSettings parse(const std::string& toml, const std::vector<std::string>& assignments = {}) {
  return parse_run(toml, "/runfiles", assignments, "test.toml");
}

/// A topology file of five peers with a network of its own on one link.
inline const std::string path_of_five =
    "peers = 5\nlink = [{from = 0, to = 1}, {from = 1, to = 2, latency = \"7 ms\"}, {from = 2, to = 3}, "
    "{from = 3, to = 4}]\n";

/// The sentence with which it is refused.
inline std::string refusal(const std::string& toml, const std::vector<std::string>& assignments = {}) {
  return misuse_text([&] { parse(toml, assignments); });
}

}  // namespace hearsay

#pragma once

#include <string>
#include <vector>

#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay {

/// Reads `toml` as if it were the file /runfiles/test.toml.
inline RunSettings parse(const std::string& toml, const std::vector<std::string>& assignments = {}) {
  return parse_run(toml, "/runfiles", assignments, "test.toml");
}

/// A topology file of five peers; the link from 1 to 2 has its own latency.
inline const std::string path_of_five =
    "peers = 5\nlink = [{from = 0, to = 1}, {from = 1, to = 2, latency = \"7 ms\"}, {from = 2, to = 3}, "
    "{from = 3, to = 4}]\n";

/// Returns the message of the Misuse that `parse` throws; empty if it throws none.
inline std::string refusal(const std::string& toml, const std::vector<std::string>& assignments = {}) {
  return misuse_text([&] { parse(toml, assignments); });
}

}  // namespace hearsay

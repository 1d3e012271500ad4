#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// The run that `file` describes, with every key resolved, after `assignments` ("a.b=value", as --set takes
/// them: the value is TOML if it parses, else a string) have overridden what the file says.
///
/// Paths in the result are absolute. A relative path in the file or in an assignment starts at the file's
/// folder; $NAME in it is an environment variable. Only where no run.output is given, the output is
/// "runs/NAME" in the current directory.
///
/// A topology.file is read too, for topology.peers, so the settings alone tell how many peers there are.
/// [[network.link]] gives a directed link, by ids, a latency or bandwidth of its own; it wins over the
/// topology file, whose links `prepare` takes in.
///
/// Misuse, one sentence with file and line: unreadable file, TOML syntax error, unknown key (names the
/// nearest), wrong type, value out of range, keys that exclude each other; and a file with a [sweep] table,
/// which is many runs and belongs to `hearsay sweep`.
RunSettings load_run_file(const std::filesystem::path& file, const std::vector<std::string>& assignments);

/// The same from text; relative paths start at `directory`.
RunSettings parse_run(std::string_view toml_text, const std::filesystem::path& directory = ".",
                      const std::vector<std::string>& assignments = {},
                      const std::string& file_name_for_messages = "run settings");

/// The resolved run.toml: every key that is set, with its unit, paths absolute. Parses back to an equal
/// RunSettings, from any directory. (TOML has no integers above 2^63 - 1, so neither has the seed.)
std::string to_toml(const RunSettings& settings);

/// Every key a run file may have, dotted: "run.name", ..., "network.peer", "network.link".
const std::vector<std::string>& run_file_keys();

}  // namespace hearsay

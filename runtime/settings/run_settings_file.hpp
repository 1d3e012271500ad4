#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns the run that `file` describes; keys that are not given have their defaults. `assignments` override
/// the file. They are written "a.b=value", as for --set: the value is TOML if it parses, else a string.
///
/// Paths in the result are absolute. A relative path, in the file or in an assignment, starts at the file's
/// folder; $NAME in it is an environment variable. If run.output is not given, the output is "runs/NAME" in
/// the current directory.
///
/// If there is a topology.file, it is read too, for topology.peers only. `prepare` adds its links to
/// `link_overrides`; a [[network.link]] of the run overrides the topology file's link.
///
/// Throws Misuse, one sentence with file and line, for: an unreadable file, a TOML syntax error, an unknown
/// key (the nearest known key is named), a wrong type, a value out of range, keys that exclude each other, or
/// a [sweep] table, which describes many runs and is for `hearsay sweep`.
RunSettings load_run_file(const std::filesystem::path& file, const std::vector<std::string>& assignments);

/// The same from text. Relative paths start at `directory`.
RunSettings parse_run(std::string_view toml_text, const std::filesystem::path& directory = ".",
                      const std::vector<std::string>& assignments = {},
                      const std::string& file_name_for_messages = "run settings");

/// Returns the text of the resolved run.toml: every key that is set, with its unit, and paths as they are. If
/// they are absolute, the text parses back to an equal RunSettings from any directory. The seed must be below
/// 2^63, because TOML has no larger integers.
std::string to_toml(const RunSettings& settings);

/// Returns every key that a run file may have outside of [sweep], dotted: "run.name", ..., "network.peer",
/// "network.link".
const std::vector<std::string>& run_file_keys();

}  // namespace hearsay

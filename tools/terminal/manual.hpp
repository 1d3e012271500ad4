#pragma once

#include <string>

namespace CLI {
class App;
}

namespace hearsay {

/// Returns the manual page hearsay(1) in the format of man: every command with its options, as `--help` lists
/// them, and the exit codes.
std::string man_page(const CLI::App& program, const std::string& version);

/// Returns a bash script that completes commands, options, and the values of options that have only a few
/// values.
std::string bash_completion(const CLI::App& program, const std::string& version);

}  // namespace hearsay

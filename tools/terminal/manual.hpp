#pragma once

#include <string>

namespace CLI {
class App;
}

namespace hearsay {

/// The manual page hearsay(1), for man: every command with its options, as `--help` says them, and the exit
/// codes.
std::string man_page(const CLI::App& program, const std::string& version);

/// A bash script that completes commands, options and the values of options that have only a few.
std::string bash_completion(const CLI::App& program, const std::string& version);

}  // namespace hearsay

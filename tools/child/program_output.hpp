#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace hearsay {

/// How a program ended, and what it printed.
struct ProgramOutput {
  int code = 0;  ///< as a shell counts: 128 + signal if a signal killed the program
  std::string output;
  std::string error;
};

/// Runs a program to its end, in the current folder and without input. `words` are its name, looked for in
/// PATH, and its arguments. Returns empty if there is no such program, and kills one that still runs after
/// `patience`.
std::optional<ProgramOutput> output_of(const std::vector<std::string>& words, std::chrono::seconds patience);

}  // namespace hearsay

#pragma once

#include <stdexcept>
#include <string>

namespace hearsay {

/// An error in the user's input. The text is one sentence that names the key, its value and what was
/// expected:
///
///     topology.peers = 12: torus(4x4) needs 16 peers
///
/// Parsers and constructors throw it where input enters. `main` prints the sentence and exits with 2. Code in
/// between catches it only to add a place (a file's name), to pass it to another process, or to go on without
/// that input. The project has no other exception type of its own: a bug aborts (`ensure`), garbage from the
/// network is counted, numerical trouble is a status.
class Misuse : public std::invalid_argument {
 public:
  /// The sentence `key = value: expectation`, for a setting that has a name.
  Misuse(const std::string& key, const std::string& value, const std::string& expectation)
      : std::invalid_argument(key + " = " + value + ": " + expectation) {}

  /// A whole sentence, for input without a key (a file, a position in a file, an address).
  explicit Misuse(const std::string& sentence) : std::invalid_argument(sentence) {}
};

}  // namespace hearsay

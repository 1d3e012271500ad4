#pragma once

#include <stdexcept>
#include <string>

namespace hearsay {

/// The user's input is wrong. One sentence that names the key, its value and what was expected:
///
///     topology.peers = 12: torus(4x4) needs 16 peers
///
/// Thrown where input enters (parsers, constructors), caught once, in `main`, which exits with 2. It is the
/// only exception type of the project: bugs abort (`ensure`), garbage from the network is counted, numerical
/// trouble is a status.
class Misuse : public std::invalid_argument {
 public:
  /// `key = value: expectation`, for a setting that has a name.
  Misuse(const std::string& key, const std::string& value, const std::string& expectation)
      : std::invalid_argument(key + " = " + value + ": " + expectation) {}

  /// A whole sentence, if there is no key (a file, a position in it, an address).
  explicit Misuse(const std::string& sentence) : std::invalid_argument(sentence) {}
};

}  // namespace hearsay

#pragma once

#include <map>
#include <string>

namespace hearsay::test {

/// A value other than the default that a key accepts, and a value of a wrong type.
struct KeySample {
  std::string good;
  std::string wrong_type;
};

/// Samples of all keys of a run file.
const std::map<std::string, KeySample>& key_samples();

}  // namespace hearsay::test

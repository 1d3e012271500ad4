#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hearsay {

/// A tree that breaks one rule, and what the rule says about it.
struct Crime {
  std::string rule;
  std::vector<std::pair<std::string, std::string>> files;
  std::string said;
};

/// At least one crime for every rule of the house.
const std::vector<Crime>& crimes();

}  // namespace hearsay

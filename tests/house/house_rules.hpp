#pragma once

#include <string>
#include <vector>

#include "tests/house/source_tree.hpp"

namespace hearsay {

/// Every sentence names file and line: "topology/graph.cpp:3: ...".
using Violations = std::vector<std::string>;

/// A rule of the house that a program can check.
struct HouseRule {
  std::string name;  ///< a claim about the tree
  Violations (*check)(const SourceTree& tree);
};

const std::vector<HouseRule>& house_rules();

/// Names the README owes its reader but does not mention; `names` are subcommands or methods.
Violations missing_in_readme(const SourceTree& tree, const std::vector<std::string>& names);

}  // namespace hearsay

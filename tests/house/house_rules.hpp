#pragma once

#include <string>
#include <vector>

#include "tests/house/source_tree.hpp"

namespace hearsay {

/// Sentences that name file and line: "topology/graph.cpp:3: ...".
using Violations = std::vector<std::string>;

/// Returns the sentence `what` about line `index` (from 0) of a file.
std::string at(const SourceFile& file, std::size_t index, const std::string& what);

/// A rule of the house that a program can check.
struct HouseRule {
  std::string name;  ///< a claim about the tree
  Violations (*check)(const SourceTree& tree);
};

const std::vector<HouseRule>& house_rules();

/// Returns a violation for each of `names` that the page `readme` does not mention.
Violations missing_in_readme(const SourceTree& tree, const std::string& readme,
                             const std::vector<std::string>& names);

/// Returns a violation if no page has a table of this name, or if the text of the table is not `said`, the
/// present text from the registries. The table stands between
///
///     <!-- generated: hearsay list --markdown NAME -->
///     <!-- end of what is generated -->
Violations stale_table(const SourceTree& tree, const std::string& name, const std::string& said);

}  // namespace hearsay

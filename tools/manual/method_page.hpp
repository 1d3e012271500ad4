#pragma once

#include <string>
#include <vector>

#include "algorithms/seam/method.hpp"
#include "tools/manual/page.hpp"

namespace hearsay {

/// Returns the stem of the method's header and source in algorithms/methods/: "choco_sgd".
std::string source_stem(const MethodInfo& method);

/// An option that a method reads, as its page tells it.
struct MethodOption {
  std::string name;           ///< "momentum"
  std::string type;           ///< "number of at least 0 and less than 1"
  std::string default_value;  ///< the method's own, as a run file spells it
  std::string description;    ///< one clause, in Markdown
};

/// Returns the options that the method reads besides those of all methods, in the order of the keys.
std::vector<MethodOption> options_of(const MethodInfo& method);

/// Returns a run file that trains with the method on eight peers and built-in data. Every option that the
/// method reads stands in it, with its default.
std::string example_run(const MethodInfo& method);

/// Returns the page of the method: its iteration, costs, needs and limits, options, an example, what `hearsay
/// advise` tries, the claims of
/// the gallery in which it occurs, and its source.
Page method_page(const MethodInfo& method);

}  // namespace hearsay

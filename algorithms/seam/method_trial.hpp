#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/seam/method_options.hpp"

namespace hearsay {

/// A topology with its schedule, as a run file names them.
struct ScheduledTopology {
  std::string kind;
  std::string schedule;
  bool operator==(const ScheduledTopology&) const = default;
};

/// A compressor and options with which a method may be the best choice on some network.
struct MethodTrial {
  std::string compressor = "none";
  std::string because = {};    ///< where it may be, one clause
  double iterations = 1.0;     ///< usual iterations to a target over those of all-reduce: the order of trials
  MethodOptions options = {};  ///< beside the method's own defaults
  std::string weights = {};    ///< topology.weights that the method needs; empty: those of the user
  std::optional<ScheduledTopology> only_on = {};  ///< empty: all that are tried
};

/// With what `hearsay advise` tries a method, or why it never does. If neither is said, it is tried with its
/// defaults.
struct MethodTrials {
  std::vector<MethodTrial> with = {};
  std::string none_because = {};
};

}  // namespace hearsay

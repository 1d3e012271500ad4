#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/cluster/placement.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/notice.hpp"
#include "runtime/session/probe_verdict.hpp"
#include "runtime/survey/link_meter.hpp"
#include "runtime/survey/measured_links.hpp"

namespace hearsay {

/// Callbacks by which the caller of a survey follows and stops it.
struct SurveyControl {
  /// Called once this peer listens, with the number of steps.
  std::function<void(std::size_t steps)> on_listening = [](std::size_t) {};
  /// Called when a step begins (from 1), and again and again while it lasts; 0 until the first one begins.
  std::function<void(std::uint64_t step, std::size_t steps)> on_step = [](std::uint64_t, std::size_t) {};
  /// Called at peer 0 with all links, by id, when they are measured. It may throw Misuse, which ends the
  /// survey at all peers.
  std::function<void(const std::vector<MeasuredLink>&)> on_links = [](const std::vector<MeasuredLink>&) {};
  /// Polled; true ends the survey at all peers.
  std::function<bool()> is_interrupted = [] { return false; };
  Notice notice = no_notice;
};

/// How a survey has ended at one peer.
struct SurveyEnd {
  std::vector<CheckedEdge> edges;  ///< the verdicts on the connections, if one does not work; else empty
  int exit_code = 0;
  std::string reason;         ///< why there is no result; empty if there is
  std::uint64_t garbage = 0;  ///< frames that came to this peer and fitted nothing
};

/// Measures bandwidth and round trips between any two peers of the run, whichever the topology links, one
/// pair of hosts at a time for each host (survey_steps.hpp), over connections like those of a run.
///
/// All peers must call this at the same time, with the same limits; they may start in any order. First each
/// tests its connections to all others, for `patience` at most. Misuse as in check_connections.
template <class Scalar>
SurveyEnd survey_network(const Experiment<Scalar>& experiment, PeerId id, const Placement& place,
                         Duration patience, const SurveyLimits& limits, const SurveyControl& control);

}  // namespace hearsay

#pragma once

#include <string>
#include <vector>

#include "runtime/record/timeline.hpp"

namespace hearsay {

/// Returns a trace in the format of Chrome ("Trace Event Format", JSON), which Perfetto reads, too. Each
/// peer is a process with four threads: gradients, waits, port up, port down. Times are in microseconds
/// since the start of the run, with all their nanoseconds. An arrow leads from each message that was sent to
/// where it was received. `activities` are those of a Timeline, in its order.
std::string chrome_trace(const std::vector<Activity>& activities, const std::string& run_name);

/// The beginning of every such file, which tells it from others.
extern const std::string trace_mark;

/// Says that the trace in `file` holds the beginning of the run only.
std::string cut_text(const std::string& file, const std::vector<Activity>& activities);

}  // namespace hearsay

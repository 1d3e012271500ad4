#include "tools/check/evaluation_time.hpp"

#include <algorithm>

#include "runtime/experiment/problem_of.hpp"
#include "runtime/observer/evaluation_frame_bytes.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

double evaluation_seconds_on_the_wire(const RunSettings& settings, std::uint64_t dimension, PeerId peers) {
  const std::uint64_t model = dimension * (settings.run.scalar == ScalarKind::float32 ? 4 : 8);
  const bool judges_own = settings.run.evaluate == RunSettings::Run::Evaluate::own;
  const bool at_home = settings.data.partition == "home" || has_programs(settings);
  const EvaluationFrameBytes bytes{.told = judges_own ? own_evaluation_bytes : model,
                                   .question = at_home && !judges_own ? model : 0};
  const NetworkSettings& network = settings.network;
  const double mean = network.trace.empty() ? 0.0 : network.trace.mean_bytes_per_s();
  const auto wire_seconds = [&](Bandwidth bandwidth, FrameKind kind) {
    const double rate = network.trace.empty() ? bandwidth.bytes_per_s : mean;
    return rate > 0.0 ? static_cast<double>(peers * bytes.of(kind)) / rate : 0.0;
  };
  const double latency = seconds(network.latency);
  double takes = wire_seconds(network.bandwidth_down, FrameKind::evaluation) + 2 * latency;
  if (bytes.asks_peers()) takes += wire_seconds(network.bandwidth_up, FrameKind::question) + 2 * latency;
  return takes;
}

std::string evaluation_time_text(const RunSettings& settings, std::uint64_t dimension, PeerId peers,
                                 double iteration) {
  const double takes = evaluation_seconds_on_the_wire(settings, dimension, peers);
  if (settings.shapes_evaluations())
    return ": the frames of one take " + seconds_text(takes) + " on this network";
  const double between = iteration * static_cast<double>(settings.run.evaluate_every);
  if (takes <= 0.05 * between) return "";
  return ": one would take " + seconds_text(takes) +
         " on this network if network.evaluations were \"shaped\"";
}

}  // namespace hearsay

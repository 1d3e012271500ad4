#include "tools/check/evaluation_time.hpp"

#include <algorithm>
#include <cmath>

#include "runtime/experiment/problem_of.hpp"
#include "runtime/network/link.hpp"
#include "runtime/network/message_time.hpp"
#include "runtime/observer/evaluation_frame_bytes.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

namespace {

constexpr double small_share = 0.05;

/// Returns the share of the time between two evaluations that one takes of the port.
std::optional<double> share_of_port(const RunSettings& settings, const EvaluationTraffic& traffic,
                                    std::optional<double> iteration) {
  const double one = iteration.value_or(0.0);  // by time, too, one iteration has at most one evaluation
  const double between = settings.run.evaluates_by_time()
                             ? std::max(one, seconds(settings.run.evaluate_period))
                             : one * static_cast<double>(settings.run.evaluate_every);
  return between > 0.0 && traffic.port_seconds > 0.0 ? std::optional(traffic.port_seconds / between)
                                                     : std::nullopt;
}

/// Returns a run.evaluate_every of at least `between_s` seconds, in the unit of the run file.
std::string enough_text(const RunSettings& settings, double between_s, std::optional<double> iteration) {
  if (settings.run.evaluates_by_time())
    return "\"" + to_text(std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(1e3 * between_s)))) +
           "\"";
  return std::to_string(static_cast<std::uint64_t>(std::ceil(between_s / iteration.value_or(1.0))));
}

std::string amount_text(std::uint64_t bytes) {
  return bytes < 10'000 ? grouped(bytes) + " bytes" : megabytes_text(static_cast<double>(bytes));
}

std::string percent(double share) { return fixed(100.0 * share, share < 0.1 ? 1 : 0) + " %"; }

}  // namespace

EvaluationTraffic evaluation_traffic(const RunSettings& settings, std::uint64_t dimension, PeerId peers) {
  const std::uint64_t model = dimension * (settings.run.scalar == ScalarKind::float32 ? 4 : 8);
  const bool judges_own = settings.run.evaluate == RunSettings::Run::Evaluate::own;
  const bool at_home = settings.data.partition == "home" || has_programs(settings);
  const EvaluationFrameBytes bytes{.told = judges_own ? own_evaluation_bytes : model,
                                   .question = at_home && !judges_own ? model : 0};
  const PeerId observer = observer_id(peers);
  const auto gathered = [&](FrameKind kind) {
    return seconds(gathering_time(settings, peers, observer, bytes.of(kind)));
  };
  const auto spread = [&](FrameKind kind) {
    return seconds(spreading_time(settings, observer, peers, bytes.of(kind)));
  };
  const auto in_port = [&](FrameKind kind) {
    return peers * seconds(receiving_time(settings, observer, bytes.of(kind)));
  };
  const auto out_of_port = [&](FrameKind kind) {
    return peers * seconds(sending_time(settings, observer, bytes.of(kind)));
  };
  EvaluationTraffic traffic{.bytes_in = peers * bytes.of(FrameKind::evaluation),
                            .bytes_out = peers * bytes.of(FrameKind::verdict),
                            .seconds = gathered(FrameKind::evaluation) + spread(FrameKind::verdict)};
  double in = in_port(FrameKind::evaluation);
  double out = out_of_port(FrameKind::verdict);
  if (bytes.asks_peers()) {
    traffic.bytes_in += peers * bytes.of(FrameKind::answer);
    traffic.bytes_out += peers * bytes.of(FrameKind::question);
    traffic.seconds += spread(FrameKind::question) + gathered(FrameKind::answer);
    in += in_port(FrameKind::answer);
    out += out_of_port(FrameKind::question);
  }
  traffic.port_seconds = std::max(in, out);
  return traffic;
}

std::string evaluations_text(const RunSettings& settings, const EvaluationTraffic& traffic,
                             std::optional<double> iteration) {
  const std::string every = settings.run.evaluates_by_time()
                                ? to_text(settings.run.evaluate_period)
                                : counted(settings.run.evaluate_every, "iteration");
  std::string text = "every " + every + "; one takes " + amount_text(traffic.bytes_in) +
                     " into the observer's port and " + amount_text(traffic.bytes_out) + " out of it";
  const auto share = share_of_port(settings, traffic, iteration);
  if (!share) return text;
  text +=
      ", " + seconds_text(traffic.seconds) + " on this network, " + percent(*share) + " of the port's time";
  if (!settings.shapes_evaluations()) text += ", if network.evaluations were \"shaped\"";
  return text;
}

std::optional<std::string> evaluations_warning(const RunSettings& settings, const EvaluationTraffic& traffic,
                                               std::optional<double> iteration) {
  const auto share = share_of_port(settings, traffic, iteration);
  if (!settings.shapes_evaluations() || !share || *share <= small_share) return std::nullopt;
  std::string text =
      "evaluations take " + percent(*share) +
      " of the observer's port, and training may wait for them; expected run.evaluate_every = " +
      enough_text(settings, traffic.port_seconds / small_share, iteration) + " or more, which takes 5 %";
  if (settings.run.evaluate != RunSettings::Run::Evaluate::own)
    text += ", or run.evaluate = \"own\", for which no model travels";
  return text;
}

}  // namespace hearsay

#include "tools/advise/prospect.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/methods/registry.hpp"
#include "tools/advise/loss_tail.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

namespace {

void take_figures(Prospect& prospect, const Evaluation& reached, PeerId peers) {
  prospect.fate = Fate::reached;
  prospect.why.clear();
  prospect.iterations = prospect.soonest = prospect.latest = reached.iteration;
  prospect.seconds = reached.seconds;
  prospect.consensus_distance = reached.consensus_distance;
  prospect.bytes_per_peer = static_cast<double>(reached.bytes_sent) / peers;
}

void extrapolate(Prospect& prospect, const std::vector<Evaluation>& evaluations, double target_loss,
                 PeerId peers) {
  constexpr double farthest = 10.0;  // times the iterations of the probe
  const Evaluation& last = evaluations.back();
  const Evaluation& middle = evaluations[evaluations.size() / 2];
  const std::string seen = "in " + counted(last.iteration, "iteration") + " to " + significant(last.loss);
  const LossOutlook ahead = outlook(evaluations, target_loss);
  if (ahead.trend == LossOutlook::Trend::untold)
    return prospect.leave_out(Fate::untold, seen + ", too few to say more");
  if (ahead.trend == LossOutlook::Trend::level)
    return prospect.leave_out(Fate::levels_off, seen + ", levels off at about " + significant(ahead.level));
  const auto tried = static_cast<double>(last.iteration);
  const auto every = static_cast<double>(prospect.settings.run.evaluate_every);
  const auto evaluated = [&](double iteration) {
    return std::max(tried + every, every * std::ceil(iteration / every));
  };
  const double iterations = evaluated(ahead.expected);
  if (iterations > farthest * tried)
    return prospect.leave_out(Fate::levels_off, seen + ", falls still, but the target is not in sight");
  const double more = (iterations - tried) / static_cast<double>(last.iteration - middle.iteration);
  take_figures(prospect, last, peers);
  prospect.fate = Fate::in_sight;
  prospect.iterations = static_cast<std::uint64_t>(iterations);
  prospect.soonest = static_cast<std::uint64_t>(evaluated(ahead.soonest));
  // A logarithm may take ages. What is out of sight is not told.
  prospect.latest = static_cast<std::uint64_t>(evaluated(std::min(ahead.latest, farthest * tried)));
  prospect.seconds += more * (last.seconds - middle.seconds);
  prospect.bytes_per_peer += more * static_cast<double>(last.bytes_sent - middle.bytes_sent) / peers;
}

}  // namespace

std::string to_text(Fate fate) {
  switch (fate) {
    case Fate::reached:
      return "reached";
    case Fate::in_sight:
      return "extrapolated";
    case Fate::slower:
      return "slower";
    case Fate::bounded:
      return "slower even at best";
    case Fate::apart:
      return "apart";
    case Fate::levels_off:
      return "levels off";
    case Fate::diverges:
      return "diverges";
    case Fate::refused:
      return "refused";
    case Fate::untold:
      return "untold";
  }
  return {};
}

void Prospect::leave_out(Fate of, std::string because) {
  fate = of;
  why = std::move(because);
}

void judge(Prospect& prospect, const Probe& probe, double target_loss) {
  const Evaluation& last = probe.evaluations.back();
  const PeerId peers = prospect.settings.topology.peers;
  prospect.tried = last.iteration;
  prospect.tried_seconds = last.seconds;
  const auto reached = std::ranges::find_if(
      probe.evaluations, [&](const Evaluation& evaluation) { return evaluation.loss <= target_loss; });
  if (reached != probe.evaluations.end()) return take_figures(prospect, *reached, peers);
  switch (probe.end) {
    case Probe::End::reached:
    case Probe::End::out_of_time:
    case Probe::End::ended:
      return extrapolate(prospect, probe.evaluations, target_loss, peers);
    case Probe::End::slower:
      return prospect.leave_out(
          Fate::slower, "after " + seconds_text(last.seconds) + " its loss is " + significant(last.loss));
    case Probe::End::diverged:
      return prospect.leave_out(
          Fate::diverges, "with steps of " + significant(prospect.settings.algorithm.step_size) + ", too");
    case Probe::End::interrupted:
      return prospect.leave_out(Fate::untold, "interrupted");
  }
}

void require_one_model(Prospect& prospect, const Probe& probe) {
  constexpr double most_of_the_way = 0.25;
  // The hub's model is the one that counts, wherever those are that sat out.
  if (find_method(prospect.settings.algorithm.kind).pattern.has_hub) return;
  if (!prospect.promises() || prospect.consensus_distance <= most_of_the_way * probe.moved) return;
  prospect.leave_out(Fate::apart, "they are " + significant(prospect.consensus_distance, 3) +
                                      " from their mean, which has moved by " + significant(probe.moved, 3));
}

}  // namespace hearsay

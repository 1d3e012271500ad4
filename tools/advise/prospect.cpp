#include "tools/advise/prospect.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tools/advise/loss_tail.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

namespace {

void take_figures(Prospect& prospect, const Evaluation& reached, PeerId peers) {
  prospect.fate = Fate::reached;
  prospect.why.clear();
  prospect.iterations = reached.iteration;
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
  const auto expected = outlook(evaluations, target_loss);
  if (!expected) return prospect.leave_out(Fate::untold, seen + ", too few to say more");
  if (!expected->iterations)
    return prospect.leave_out(Fate::levels_off,
                              seen + ", levels off at about " + significant(expected->floor));
  const auto tried = static_cast<double>(last.iteration);
  const auto every = static_cast<double>(prospect.settings.run.evaluate_every);
  const double iterations = std::max(tried + every, every * std::ceil(*expected->iterations / every));
  if (iterations > farthest * tried)
    return prospect.leave_out(Fate::levels_off, seen + ", the target is not in sight");
  const double more = (iterations - tried) / static_cast<double>(last.iteration - middle.iteration);
  take_figures(prospect, last, peers);
  prospect.fate = Fate::in_sight;
  prospect.iterations = static_cast<std::uint64_t>(iterations);
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
  prospect.run_length = probe.run_length;
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
  if (!prospect.promises() || prospect.consensus_distance <= most_of_the_way * probe.moved) return;
  prospect.leave_out(Fate::apart, "they are " + significant(prospect.consensus_distance, 3) +
                                      " from their mean, which has moved by " + significant(probe.moved, 3));
}

}  // namespace hearsay

#include "runtime/participant/failure_detector.hpp"

#include "runtime/session/long_wait.hpp"

namespace hearsay {

SilenceWatch::Judgement FailureDetector::judge(Instant now, std::uint64_t iteration,
                                               const std::vector<PeerId>& awaited,
                                               const SilenceWatch::AwayFor& away_for) {
  watch_.look(now);
  for (const PeerId source : awaited) watch_.heard(source, session_.last_heard_from(source));
  const SilenceWatch::Judgement judgement = watch_.judge(now, waits_since_, iteration, awaited, away_for);
  look_again_ = judgement.look_again;
  return judgement;
}

std::optional<std::string> FailureDetector::lost_observer(Instant now) const {
  if (unobserved_) return std::nullopt;
  if (observer_is_gone_) return "the observer, with the process that began the run, is gone";
  const Duration silence = watch_.silence(now, waits_since_, session_.last_heard_from_observer());
  if (silence <= lost_after_) return std::nullopt;
  return "the observer, at peer 0, was lost: it has said nothing for " + spoken(silence);
}

}  // namespace hearsay

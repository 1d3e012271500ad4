#include "runtime/process/failure_detector.hpp"

#include <algorithm>

#include "runtime/session/long_wait.hpp"

namespace hearsay {

SilenceWatch::Judgement FailureDetector::judge(Instant now, std::uint64_t iteration,
                                               const std::vector<PeerId>& awaited) {
  watch_.look(now);
  for (const PeerId source : awaited) watch_.heard(source, sockets_.last_heard_from(source));
  const SilenceWatch::Judgement judgement = watch_.judge(now, waits_since_, iteration, awaited);
  look_again_ = judgement.look_again;
  return judgement;
}

bool FailureDetector::is_lost(PeerId destination, Instant now) const {
  return now - std::max(waits_since_, sockets_.last_heard_from(destination)) > lost_after_;
}

std::optional<std::string> FailureDetector::lost_observer(Instant now) const {
  const Duration silence = watch_.silence(now, waits_since_, sockets_.last_heard_from_observer());
  if (unobserved_ || (silence <= lost_after_ && !control_.observer_is_gone())) return std::nullopt;
  return control_.observer_is_gone()
             ? "the observer, with the process that began the run, is gone"
             : "the observer, at peer 0, was lost: it has said nothing for " + spoken(silence);
}

bool FailureDetector::hears_observer(Instant now) const {
  return !control_.observer_is_gone() && now - sockets_.last_heard_from_observer() <= lost_after_;
}

}  // namespace hearsay

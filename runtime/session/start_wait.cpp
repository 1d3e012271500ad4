#include "runtime/session/start_wait.hpp"

#include <algorithm>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

std::string instead(const std::string& name) {
  return name.empty() ? "" : ", but " + name + " answers there";
}

}  // namespace

std::string StartReport::answers_instead(PeerId destination) const {
  const auto link = std::ranges::lower_bound(outgoing_.all(), destination, {}, &OutgoingLink::to);
  ensure(link != outgoing_.all().end() && link->to == destination, "a peer waits for its destinations");
  return instead(link->answers_instead);
}

std::string StartReport::awaited() const {
  const bool restores = phase_ == SessionPhase::restoring;
  if ((restores || awaits_observer()) && !observer_.has_welcomed())
    return ObserverLink::name(context_) + " to answer" + instead(observer_.answers_instead());
  const std::string known = observer_.others_await().empty() ? "" : ": " + observer_.others_await();
  if (restores) return "all peers to be there, so that they can go on from their checkpoints" + known;
  if (awaits_observer())
    return "the observer to start the run" +
           (known.empty() ? ": some peer is not there yet, or lacks a neighbor" : known);
  if (phase_ == SessionPhase::joining) return "a neighbor to tell its model";
  if (const auto id = greetings_.first_without_welcome())
    return context_.name_of(*id) + " to come up" + answers_instead(*id);
  if (const auto id = greetings_.first_silent()) return "peer " + std::to_string(*id) + " to call";
  return "a neighbor that it could join";
}

std::string StartReport::missing() const {
  const std::string within = " within " + to_text(context_.input.start_patience);
  if (awaits_observer()) return missing_observer();
  if (phase_ == SessionPhase::restoring)
    return observer_.has_welcomed() ? "the observer did not say from where to go on" + within
                                    : missing_observer();
  if (phase_ == SessionPhase::joining)
    return "the run has gone on without this peer, and no neighbor told its model" + within;
  if (greetings_.complete()) return "no neighbor was there to be joined" + within;
  if (const auto id = greetings_.first_without_welcome())
    return context_.name_of(*id) + " did not come up" + within + answers_instead(*id);
  return "peer " + std::to_string(*greetings_.first_silent()) + " did not call" + within;
}

std::string StartReport::missing_observer() const {
  const std::string within = " within " + to_text(context_.input.start_patience);
  if (!observer_.has_welcomed())
    return ObserverLink::name(context_) + " did not answer" + within + instead(observer_.answers_instead());
  const std::string& known = observer_.others_await();
  return "the observer did not start the run" + within + (known.empty() ? "" : ": " + known);
}

std::string StartReport::known_here() const {
  if (!observer_.answers_instead().empty())
    return "; here, at the address of " + ObserverLink::name(context_) + ", " + observer_.answers_instead() +
           " answers";
  const auto odd = std::ranges::find_if(
      outgoing_.all(), [](const OutgoingLink& link) { return !link.answers_instead.empty(); });
  if (odd == outgoing_.all().end()) return "";
  return "; here, at the address of " + context_.name_of(odd->to) + ", " + odd->answers_instead + " answers";
}

}  // namespace hearsay

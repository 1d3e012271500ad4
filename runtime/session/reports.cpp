#include <algorithm>

#include "runtime/session/peer_session.hpp"

// For whom a peer waits before the run begins, in words; and who answered where somebody else was expected.

namespace hearsay {

namespace {

std::string instead(const std::string& name) {
  return name.empty() ? "" : ", but " + name + " answers there";
}

}  // namespace

/// The observer names no process; peers always do.
bool PeerSession::is_of_observer(const FrameHeader& head) {
  return head.sender == 0 && head.incarnation == 0;
}

std::string PeerSession::name_of_speaker(const FrameHeader& head) {
  return is_of_observer(head) ? "the observer" : "peer " + std::to_string(head.sender);
}

std::string PeerSession::name_of(PeerId destination) const {
  const auto place = std::ranges::lower_bound(input_.destinations, destination) - input_.destinations.begin();
  return "peer " + std::to_string(destination) + " (" + input_.addresses[static_cast<std::size_t>(place)] +
         ")";
}

std::string PeerSession::whom_it_awaits() const {
  if ((resuming_ || ready_) && !observer_welcomed_)
    return name_of_observer() + " to answer" + instead(observer_answers_instead_);
  const std::string known = others_await_.empty() ? "" : ": " + others_await_;
  if (resuming_) return "all peers to be there, so that they can go on from their checkpoints" + known;
  if (ready_)
    return "the observer to start the run" +
           (known.empty() ? ": some peer is not there yet, or lacks a neighbor" : known);
  if (joining_) return "a neighbor to tell its model";
  if (const auto id = greetings_.first_reserved())
    return name_of(*id) + " to come up" + instead(answers_instead(*id));
  if (const auto id = greetings_.first_silent()) return "peer " + std::to_string(*id) + " to call";
  return "a neighbor that it could join";
}

std::string PeerSession::missing_neighbor() const {
  const std::string within = " within " + to_text(input_.start_patience);
  if (resuming_)
    return observer_welcomed_ ? "the observer did not say from where to go on" + within : missing_observer();
  if (joining_) return "the run has gone on without this peer, and no neighbor told its model" + within;
  if (greetings_.complete()) return "no neighbor was there to be joined" + within;
  if (const auto id = greetings_.first_reserved())
    return name_of(*id) + " did not come up" + within + instead(answers_instead(*id));
  return "peer " + std::to_string(*greetings_.first_silent()) + " did not call" + within;
}

std::string PeerSession::missing_observer() const {
  const std::string within = " within " + to_text(input_.start_patience);
  if (!observer_welcomed_)
    return name_of_observer() + " did not answer" + within + instead(observer_answers_instead_);
  return "the observer did not start the run" + within + (others_await_.empty() ? "" : ": " + others_await_);
}

std::string PeerSession::name_of_observer() const {
  return input_.observer_address.empty() ? "the observer" : "the observer (" + input_.observer_address + ")";
}

std::string PeerSession::answers_instead(PeerId destination) const {
  return std::ranges::lower_bound(outgoing_, destination, {}, &OutgoingLink::to)->answers_instead;
}

/// The observer knows then why the run does not begin, and tells the others.
void PeerSession::tell_for_whom_it_waits() {
  if (!observer_welcomed_ || joining_) return;
  const std::string whom = whom_it_awaits();
  say(PeerWord::Way::observer, 0, FrameKind::ready, std::as_bytes(std::span(whom)));
  outbox_.back().header.slot = 1;
}

/// Where a run was given up before it began, this peer may know why, better than whoever says so.
void PeerSession::hear_stop(const FrameHeader& stop, std::span<const std::byte> payload) {
  RunStops stops{exit_code_of(stop), printable_text(payload)};
  const auto odd =
      std::ranges::find_if(outgoing_, [](const OutgoingLink& link) { return !link.answers_instead.empty(); });
  if (!started_ && stops.exit_code == 3) {
    if (!observer_answers_instead_.empty())
      stops.reason +=
          "; here, at the address of " + name_of_observer() + ", " + observer_answers_instead_ + " answers";
    else if (odd != outgoing_.end())
      stops.reason +=
          "; here, at the address of " + name_of(odd->to) + ", " + odd->answers_instead + " answers";
  }
  events_.push_back(std::move(stops));
}

}  // namespace hearsay

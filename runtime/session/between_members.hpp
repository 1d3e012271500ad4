#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "runtime/session/context.hpp"
#include "runtime/session/events.hpp"
#include "runtime/session/incoming_links.hpp"
#include "runtime/session/outgoing_links.hpp"

namespace hearsay {

/// What members of a run that agree on who they are say to each other for that, and know of each other.
class BetweenMembers {
 public:
  /// Parts of a session, which must outlive this object. `letters`: those that have come.
  BetweenMembers(SessionContext& context, const OutgoingLinks& outgoing, IncomingLinks& incoming,
                 std::vector<LetterArrived>& letters)
      : context_(context), outgoing_(outgoing), incoming_(incoming), letters_(letters) {}

  /// Says it to a member. It may be lost.
  void say(PeerId to, SharedBytes letter) {
    context_.say(PeerFrame::Way::outlet, to, FrameKind::letter, std::move(letter));
  }
  /// Also of a peer whose edge is out: it may not know it.
  FrameUse hear(const FrameHeader& head, std::span<const std::byte> payload) {
    if (!incoming_.find(head.sender) || head.run_id != context_.run_id) return FrameUse::garbage;
    if (context_.has_started())
      letters_.push_back({head.sender, head.incarnation, {payload.begin(), payload.end()}});
    return FrameUse::words;
  }
  /// What has come. Nothing before the start.
  std::vector<LetterArrived>& letters() { return letters_; }

  /// Iteration t has the number t + `added` between members from now on. This peer needs what has the number
  /// `needed`, or a later one: all are told.
  void need_from(std::uint64_t needed, std::uint64_t added) {
    context_.added_between_members = added;
    incoming_.need_from(needed, context_);
    incoming_.say_what_is_needed(context_);
  }
  /// The process that has greeted this one as peer `source`; empty if none has.
  std::optional<std::uint32_t> incarnation_of(PeerId source) const {
    return incoming_.find(source)->incarnation();
  }
  /// True if `destination` is known to need no message of iterations before `iteration`.
  bool needs_only_from(PeerId destination, std::uint64_t iteration) const {
    return outgoing_.retention().floor(destination) >= iteration;
  }

 private:
  SessionContext& context_;
  const OutgoingLinks& outgoing_;
  IncomingLinks& incoming_;
  std::vector<LetterArrived>& letters_;
};

}  // namespace hearsay

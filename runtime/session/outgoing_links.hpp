#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/session/context.hpp"
#include "runtime/session/retention.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

/// A peer's way to one that hears it.
struct OutgoingLink {
  PeerId to;
  std::uint64_t next_sequence = 0;
  std::uint64_t greeted_at = 0;      ///< the number that the last hello named
  bool awaits_welcome = true;        ///< to that hello
  std::string answers_instead = {};  ///< somebody else who does at that address
};

/// The ways to all destinations, and what each may still ask for: messages get their numbers here, and are
/// sent again if the answer to a hello shows that they were lost.
class OutgoingLinks {
 public:
  explicit OutgoingLinks(const PeerSessionInput& input);

  std::vector<OutgoingLink>& all() { return links_; }
  const std::vector<OutgoingLink>& all() const { return links_; }
  OutgoingLink& to(PeerId destination);

  /// The hello says whether the edge is out.
  void greet(OutgoingLink& link, bool has_parted, SessionContext& context) const;
  /// A message of the method.
  void send(Outgoing message, Instant posted, SessionContext& context);
  /// Returns whether this is the answer to the last hello.
  bool hear_welcome(OutgoingLink& link, const FrameHeader& welcome, SessionContext& context);
  /// After that: what was not sent since the hello, and may still be needed.
  void send_again(OutgoingLink& link, std::uint64_t needed_from, SessionContext& context);

  /// Why the caller, whose input is right, cannot train from where it says it is; else empty.
  std::string objection_to(const FrameHeader& hello, bool has_parted, const SessionContext& context) const;

  Retention& retention() { return retention_; }
  const Retention& retention() const { return retention_; }
  /// Whether a destination may still ask for something.
  bool retains() const;
  void save(SessionState& state) const;
  void restore(SessionState& state);

 private:
  void send_data(OutgoingLink& link, RetainedMessage& message, Instant posted, SessionContext& context);

  std::vector<OutgoingLink> links_;  // ascending
  Retention retention_;
};

}  // namespace hearsay

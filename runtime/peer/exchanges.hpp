#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/peer/inbox.hpp"

namespace hearsay {

/// The asynchronous round policy: decides when a peer takes in which message of an asynchronous method. It
/// replaces the inbox, since the two sides of an exchange do not know each other's iterations: request and
/// reply both carry the asker's iteration.
///
///   * A peer has at most one request out. It takes in only the reply to that request, once.
///   * While its request is out, the peer answers no requests, since its model must stay the one that it has
///     sent. Requests of `patient` neighbors are put off, in the order in which they came; requests of others
///     are refused as busy.
///   * Every request is answered once. Requests of one asker are taken in ascending iterations only.
///
/// No deadlock: of every two neighbors one is patient with the other, along an acyclic orientation of the
/// links (coloring.hpp). So the peers that are put off form chains, and the last peer of a chain is not put
/// off. Bounded: at most one request per asker is put off.
class Exchanges {
 public:
  struct Request {
    MessageKey key;
    PacketRef packet;
  };

  /// `patient`: the neighbors whose requests wait while this peer's own request is out, ascending.
  explicit Exchanges(std::vector<PeerId> patient = {}) : patient_(std::move(patient)) {}

  /// This peer sends a request to `to`, in its iteration `iteration`. No other request is out.
  void ask(std::uint64_t iteration, PeerId to);
  /// True if a request is out.
  bool asking() const { return awaited_.has_value(); }

  enum class Outcome {
    request,    ///< a request, which was queued: `next` returns it when it is to be answered
    busy,       ///< a request that is to be refused now
    reply,      ///< the awaited reply, to be taken in now
    late,       ///< a message of an exchange that is over, or that never was
    duplicate,  ///< a message that was heard before
    overflow,   ///< a request of an asker whose earlier request is still queued
  };
  /// Classifies a message that has just come.
  Outcome hear(const MessageKey& key, const PacketRef& packet);
  /// Removes and returns the request to answer now; empty if there is none, or a request of this peer is out.
  std::optional<Request> next();

 private:
  std::vector<PeerId> patient_;
  std::optional<MessageKey> awaited_;             // the reply to this peer's request, if one is out
  std::optional<MessageKey> taken_;               // the last reply that was taken in
  std::vector<Request> put_off_;                  // in the order in which they came
  std::map<PeerId, std::uint64_t> last_request_;  // iteration of the newest request, by asker
};

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/peer/inbox.hpp"

namespace hearsay {

/// The asynchronous round policy: which message of an asynchronous method is taken in when. In place of the
/// inbox, since neither side of an exchange knows the other's iteration: both messages are known by the
/// asker's.
///
///   * one request at a time is out; only its reply is taken in, once;
///   * while it is out, what was sent stays what this peer holds, until the reply is taken in: requests of
///     `patient` askers are put off, in the order in which they came, and those of others refused;
///   * a request is answered once; those of one asker in ascending iteration.
///
/// If of every two neighbors one is patient with the other, along an acyclic orientation of the links
/// (coloring.hpp), peers that are put off form chains that end at one that is not, so every request is
/// answered or refused. Bounded: one request per asker is put off.
class Exchanges {
 public:
  struct Request {
    MessageKey key;
    PacketRef packet;
  };

  /// `patient`: the neighbors that wait where this peer waits itself, ascending.
  explicit Exchanges(std::vector<PeerId> patient = {}) : patient_(std::move(patient)) {}

  /// A request of this peer's iteration `iteration` leaves for `to`; no other is out.
  void ask(std::uint64_t iteration, PeerId to);
  /// Whether a request is out.
  bool asking() const { return awaited_.has_value(); }

  enum class Heard {
    request,    ///< `next` will say when to answer it
    busy,       ///< a request to refuse now
    reply,      ///< the awaited one, to be taken in now
    late,       ///< of an exchange that is over, or that never was
    duplicate,  ///< heard before
    overflow,   ///< a second request of an asker that waits for its first one's reply
  };
  Heard hear(const MessageKey& key, const PacketRef& packet);
  /// The request to answer now, if there is one.
  std::optional<Request> next();

 private:
  std::vector<PeerId> patient_;
  std::optional<MessageKey> awaited_;             // the reply to the request that is out
  std::optional<MessageKey> taken_;               // the last reply taken in
  std::vector<Request> put_off_;                  // in the order in which they came
  std::map<PeerId, std::uint64_t> last_request_;  // iteration of the newest request, by asker
};

}  // namespace hearsay

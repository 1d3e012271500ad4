#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Decides which connections are admitted. ZeroMQ asks once per connection, after the caller has proved that
/// it owns a key (rfc.zeromq.org/spec/27). The answer binds the connection to one peer: frames in the name of
/// another peer are garbage. Pure.
class ZapPolicy {
 public:
  /// Admits the owner of public_keys[i] as peer i.
  explicit ZapPolicy(const std::vector<std::string>& public_keys) : public_keys_(public_keys) {}

  struct Answer {
    std::vector<std::string> reply;  ///< the parts of the answer to ZeroMQ
    bool refused = false;
    std::string to_say;  ///< a notice at the first attempt of a refused key, for 16 keys at most; else empty
  };
  /// Answers a request of ZeroMQ. `request` has the parts of the message; `key` is the caller's key as text.
  Answer decide(const std::vector<std::string>& request, std::string_view key);

 private:
  std::vector<std::string> public_keys_;
  std::set<std::string, std::less<>> said_;  // refused keys that a notice has named; at most `most_said`
};

/// The user name (ZeroMQ's "User-Id") of a peer's connection at a ROUTER that has admitted it.
std::string user_of(PeerId peer);

}  // namespace hearsay

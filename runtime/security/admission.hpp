#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Decides who gets in. ZeroMQ asks once per connection, after the caller has proved that it owns a key
/// (rfc.zeromq.org/spec/27). The answer binds the connection to one peer: what it says in the name of another
/// peer is garbage. Pure.
class Admission {
 public:
  /// Admits the owners of these keys: the owner of public_keys[i] as peer i.
  explicit Admission(const std::vector<std::string>& public_keys) : public_keys_(public_keys) {}

  struct Answer {
    std::vector<std::string> reply;  ///< the parts of the answer to ZeroMQ
    bool refused = false;
    std::string to_say;  ///< at the first attempt of a refused key; empty otherwise
  };
  /// Answers a question of ZeroMQ. `request` has its parts; `key` is the caller's key as text.
  Answer judge(const std::vector<std::string>& request, std::string_view key);

 private:
  std::vector<std::string> public_keys_;
  std::set<std::string, std::less<>> said_;  // the refused keys that were named; at most `most_said`
};

/// The user name (ZeroMQ's "User-Id") of a peer's connection at a ROUTER that has admitted it.
std::string user_of(PeerId peer);

}  // namespace hearsay

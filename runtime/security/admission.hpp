#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Who gets in. ZeroMQ asks once per connection, when the caller has proved that it owns a key (rfc.zeromq.org/spec/27),
/// and the answer binds the connection to a peer: what it says in the name of another one is garbage. Pure.
class Admission {
 public:
  /// Admits the owners of these keys, each as the peer whose id is its key's place.
  explicit Admission(const std::vector<std::string>& public_keys) : public_keys_(public_keys) {}

  struct Answer {
    std::vector<std::string> reply;  ///< the parts of the answer to ZeroMQ
    bool refused = false;
    std::string to_say;  ///< on the first attempts of a key; empty otherwise
  };
  /// `request`: the parts of ZeroMQ's question; `key`: the caller's, as text.
  Answer judge(const std::vector<std::string>& request, std::string_view key);

 private:
  std::vector<std::string> public_keys_;
  std::set<std::string, std::less<>> said_;  // of refused keys; at most `most_said`
};

/// What the connection of a peer is known as at a ROUTER that has admitted it.
std::string user_of(PeerId peer);

}  // namespace hearsay

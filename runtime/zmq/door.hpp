#pragma once

#include <memory>
#include <string>
#include <zmq.hpp>

#include "runtime/security/credentials.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a DEALER that is to speak to peer `server` needs before it connects: the key that it has to prove it owns, and this
/// peer's own. Plain text without credentials.
void secure_client(zmq::socket_t& dealer, const SharedCredentials& credentials, PeerId server);

/// Guards a ROUTER: with credentials, only the owners of authorized keys get in; everybody else is counted, and the first
/// ones are named on stderr. It answers ZeroMQ's questions in a thread of its own, so that a stranger at the door waits
/// for nobody's frames, and nobody's frames for a stranger. Without credentials everybody gets in and there is no thread.
class Door {
 public:
  /// To be called before the ROUTER binds (`listen`), once per context.
  Door(zmq::context_t& context, zmq::socket_t& router, const SharedCredentials& credentials);
  /// While the ROUTER still lives and nobody uses it.
  ~Door();

  /// Connections so far, of the whole process, that did not get in.
  std::uint64_t refused() const { return credentials_ ? credentials_->refused.load() : 0; }

 private:
  class Keeper;
  SharedCredentials credentials_;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace hearsay

#pragma once

#include <memory>
#include <string>
#include <zmq.hpp>

#include "runtime/security/credentials.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Gives a DEALER what it needs before it connects to peer `server`: the key whose ownership the server has
/// to prove, and this peer's own. Without credentials it speaks plain text.
void secure_client(zmq::socket_t& dealer, const SharedCredentials& credentials, PeerId server);

/// Guards a ROUTER. With credentials, only the owners of authorized keys get in; all others are counted, and
/// the first of them are named on stderr. A thread of its own answers ZeroMQ's questions, so that neither
/// strangers nor the peers' frames wait for each other. Without credentials everybody gets in and there is no
/// thread.
class Door {
 public:
  /// To be made before the ROUTER binds (`listen`), once per context.
  Door(zmq::context_t& context, zmq::socket_t& router, const SharedCredentials& credentials);
  /// To be destroyed while the ROUTER still lives and no thread uses it.
  ~Door();

  /// Connections that the whole process has refused so far.
  std::uint64_t refused() const { return credentials_ ? credentials_->refused.load() : 0; }

 private:
  class Keeper;
  SharedCredentials credentials_;
  std::unique_ptr<Keeper> keeper_;
};

}  // namespace hearsay

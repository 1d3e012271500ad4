#pragma once

#include <memory>
#include <string>
#include <zmq.hpp>

#include "runtime/security/credentials.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Sets the keys of a DEALER before it connects to peer `server`: the public key that the server must prove
/// to own, and the key pair of this peer. Without credentials the DEALER speaks plain text.
void secure_client(zmq::socket_t& dealer, const SharedCredentials& credentials, PeerId server);

/// Guards a ROUTER. With credentials, only the owners of authorized keys get in. All other connections are
/// counted, and the first of them are reported by `credentials->notice`. A thread of its own answers the
/// authentication requests of ZeroMQ (ZAP), so strangers do not delay the frames of peers, nor peers the
/// answers. Without credentials everybody gets in, and there is no thread.
class ZapServer {
 public:
  /// Must be made before the ROUTER binds (`listen`), once per context.
  ZapServer(zmq::context_t& context, zmq::socket_t& router, const SharedCredentials& credentials);
  /// Must be called once, when the ROUTER listens. Nobody gets in before.
  void begin();
  /// Must be destroyed while the ROUTER still lives and no thread uses it. Closes the ROUTER if there are
  /// credentials.
  ~ZapServer();

  /// Returns the number of connections that all ROUTERs of this process have refused so far.
  std::uint64_t refused() const { return credentials_ ? credentials_->refused.load() : 0; }

 private:
  class Responder;
  SharedCredentials credentials_;
  std::unique_ptr<Responder> responder_;
};

}  // namespace hearsay

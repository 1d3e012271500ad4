#include "runtime/zmq/listening.hpp"

#include <cerrno>

#include "runtime/cluster/address.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

// Connections that the kernel holds until ZeroMQ takes them: so many that a burst of strangers does not keep
// a neighbor out.
constexpr int waiting_connections = 1024;

}  // namespace

std::string listen(zmq::socket_t& router, const Listening& limits, const std::string& key,
                   const std::string& address) {
  router.set(zmq::sockopt::linger, limits.linger_ms);
  router.set(zmq::sockopt::router_mandatory, true);
  router.set(zmq::sockopt::router_handover, true);
  router.set(zmq::sockopt::rcvhwm, limits.queue_frames);
  router.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(limits.payload_limit_bytes));
  router.set(zmq::sockopt::handshake_ivl, handshake_patience_ms);
  router.set(zmq::sockopt::backlog, waiting_connections);
  // With a domain's name set, ZeroMQ refuses the versions of its protocol in which callers cannot prove who
  // they are. The name alone is enough, and it is needed even without keys: any rubbish passes for version 1,
  // and aborts the process if it comes while the ROUTER closes (libzmq 4.3).
  router.set(zmq::sockopt::zap_domain, "hearsay");
  router.set(zmq::sockopt::ipv6, Address::parse(address).is_v6());
  try {
    router.bind(address);
  } catch (const zmq::error_t& error) {
    const bool not_here = error.num() == EADDRNOTAVAIL || error.num() == ENODEV;
    throw Misuse(
        key, address,
        "cannot listen there (" + std::string(error.what()) + ")" +
            (not_here ? "; expected an address of this machine, or, behind NAT or in a container, where to "
                        "listen instead: bind = \"tcp://0.0.0.0:PORT\""
                      : ""));
  }
  return router.get(zmq::sockopt::last_endpoint);
}

}  // namespace hearsay

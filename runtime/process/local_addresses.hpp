#pragma once

#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/process/reserved_port.hpp"

namespace hearsay {

/// Where the processes of a run on one machine listen: at sockets of the machine (ipc://), at ports of
/// loopback or of their namespaces, or at the addresses of the topology file, as network.transport says.
/// Holds the ports of peers that join later.
class LocalAddresses {
 public:
  /// `network` may be null.
  LocalAddresses(const RunSettings& settings, std::vector<NamedPeer> peers, const KernelNetwork* network);

  /// Returns the address at which a peer listens first; its port may be "*".
  std::string first_of(PeerId id) const;
  /// Returns that of a peer that joins later, as the others have to know it from the start.
  std::string known_of(PeerId id);
  std::string of_observer() const;

 private:
  bool is_ipc() const { return !sockets_.empty(); }

  std::vector<NamedPeer> peers_;
  const KernelNetwork* network_;
  std::vector<std::string> sockets_;  // of the peers, then of the observer; empty if they have ports
  std::vector<ReservedPort> reserved_;
};

}  // namespace hearsay

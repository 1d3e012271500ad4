#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/foundation/notice.hpp"
#include "runtime/security/key_file.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// The keys by which a peer proves its identity and recognizes the others. Shared by all sockets of its
/// process.
struct Credentials {
  PeerId self;
  KeyPair own;
  std::vector<std::string> public_keys;  ///< of all peers, by id
  /// How many connections to this process have been refused.
  std::atomic<std::uint64_t> refused{0};
  Notice notice = no_notice;  ///< reports strangers; called by the thread that refuses them
};

/// Null if a run has no keys and speaks plain text.
using SharedCredentials = std::shared_ptr<Credentials>;

/// True if a run uses keys. Throws Misuse if only one of security.authorized and security.secret is given.
bool has_keys(const RunSettings::Security& security);

/// Returns a warning if there are no keys and other machines can reach a peer or the observer; else empty.
std::optional<std::string> plain_text_warning(const RunSettings::Security& security,
                                              const NamedTopology& topology);

/// Returns the credentials of peer `self` from key pairs made for this run (`pairs[id]`); null if there are
/// none.
SharedCredentials share_credentials(const std::vector<KeyPair>& pairs, PeerId self, const Notice& notice);

/// Returns the credentials of peer `self` from the files that security.authorized and security.secret name;
/// null if neither is set. Throws Misuse if a peer of the topology has no key, or if this peer's own key is
/// not its key in the file of authorized keys.
SharedCredentials load_credentials(const RunSettings::Security& security, const std::vector<NamedPeer>& peers,
                                   PeerId self, const Notice& notice);

}  // namespace hearsay

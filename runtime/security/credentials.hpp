#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/security/key_file.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// What a peer proves its identity with, and knows the others by. Shared by all sockets of its process.
struct Credentials {
  PeerId self;
  KeyPair own;
  std::vector<std::string> public_keys;  ///< of all peers, by id
  /// Who tried to connect to this process and was not let in, so far.
  std::atomic<std::uint64_t> refused{0};
};

/// Who runs the observer, and whose key it has.
inline constexpr PeerId observer_peer = 0;

/// Null where a run has no keys: it speaks plain text.
using SharedCredentials = std::shared_ptr<Credentials>;

/// Whether a run is to use keys. Misuse where only one of security.authorized and security.secret is given.
bool has_keys(const RunSettings::Security& security);

/// A warning where other machines can reach a peer or the observer, and there are no keys; else nothing.
std::optional<std::string> plain_text_warning(const RunSettings::Security& security, const Cluster& cluster);

/// Those of peer `self` where all pairs, by id, were made for this run by the one process that starts it; null without.
SharedCredentials share_credentials(const std::vector<KeyPair>& pairs, PeerId self);

/// Those of peer `self`, from the files that security.authorized and security.secret name; null where neither does. Misuse
/// where a peer of the topology has no key, and where its own is not the one that the others know.
SharedCredentials load_credentials(const RunSettings::Security& security,
                                   const std::vector<ClusterPeer>& peers, PeerId self);

}  // namespace hearsay

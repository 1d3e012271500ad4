#include "runtime/security/credentials.hpp"

#include <algorithm>

#include "runtime/cluster/address.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

std::string key_of(const NamedPeer& peer, const std::vector<AuthorizedKey>& authorized,
                   const std::string& file) {
  const auto found = std::ranges::find(authorized, peer.name, &AuthorizedKey::name);
  if (found == authorized.end())
    throw Misuse(file + " has no key of peer " + peer.name + "; hearsay keys authorize " + file + " " +
                 peer.name + " KEY adds it");
  return found->public_key;
}

}  // namespace

bool has_keys(const RunSettings::Security& security) {
  if (security.authorized.empty() == security.secret.empty()) return !security.authorized.empty();
  const bool lacks_secret = security.secret.empty();
  throw Misuse(lacks_secret ? "security.authorized" : "security.secret",
               (lacks_secret ? security.authorized : security.secret).string(),
               std::string("expected security.") + (lacks_secret ? "secret" : "authorized") +
                   ", too: " + (lacks_secret ? "this peer's own key" : "the public keys of all peers"));
}

std::optional<std::string> plain_text_warning(const RunSettings::Security& security,
                                              const NamedTopology& topology) {
  if (has_keys(security)) return std::nullopt;
  std::vector<std::string> places = {topology.observer_bind.empty() ? topology.observer
                                                                    : topology.observer_bind};
  for (const NamedPeer& peer : topology.peers) places.push_back(peer.bind.empty() ? peer.address : peer.bind);
  for (const std::string& place : places)
    if (!place.empty() && !Address::parse(place).is_loopback())
      return "no keys are set (security.authorized, security.secret): other machines can reach " + place +
             ", all traffic is plain text, and anyone who connects there can disturb the run";
  return std::nullopt;
}

SharedCredentials share_credentials(const std::vector<KeyPair>& pairs, PeerId self, const Notice& notice) {
  if (pairs.empty()) return nullptr;
  const auto credentials = std::make_shared<Credentials>();
  credentials->self = self;
  credentials->notice = notice;
  credentials->own = pairs[self];
  for (const KeyPair& pair : pairs) credentials->public_keys.push_back(pair.public_key);
  return credentials;
}

SharedCredentials load_credentials(const RunSettings::Security& security, const std::vector<NamedPeer>& peers,
                                   PeerId self, const Notice& notice) {
  if (!has_keys(security)) return nullptr;
  const auto credentials = std::make_shared<Credentials>();
  credentials->self = self;
  credentials->notice = notice;
  const std::vector<AuthorizedKey> authorized = load_authorized_keys(security.authorized);
  for (const NamedPeer& peer : peers)
    credentials->public_keys.push_back(key_of(peer, authorized, security.authorized));
  credentials->own = load_key_pair(security.secret);
  if (credentials->own.public_key != credentials->public_keys[self]) {
    const auto owner = std::ranges::find(credentials->public_keys, credentials->own.public_key);
    const std::string whose =
        owner == credentials->public_keys.end()
            ? "nobody's in " + security.authorized.string()
            : "the one of peer " +
                  peers[static_cast<std::size_t>(owner - credentials->public_keys.begin())].name;
    throw Misuse("security.secret", security.secret.string(),
                 "expected the key of peer " + peers[self].name + ", this is " + whose);
  }
  return credentials;
}

}  // namespace hearsay

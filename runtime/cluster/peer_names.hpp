#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/toml/setting.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Finds peers by name or by id, as the ends of a link in a TOML file spell them.
class PeerNames {
 public:
  /// `names` are those of all peers, or of none, who then have their ids alone.
  PeerNames(PeerId count, std::vector<std::string> names);

  /// Returns how a TOML file spells the peer: "\"a\"", or 3 if it has no name.
  std::string spelling(PeerId id) const;
  /// True if no peer has a name.
  bool are_numbers() const { return names_.empty(); }

  /// Throws Misuse if the setting is no name and no id of a peer.
  PeerId find(const Setting& setting) const;

  /// The peers at one end of a [[link]]: a single peer, those of a range, or all whose names match a *.
  struct End {
    std::vector<PeerId> peers;
    bool is_range = false;
  };
  End find_all(const Setting& setting) const;

 private:
  PeerId count_;
  std::vector<std::string> names_;
  std::map<std::string, PeerId> ids_;
};

}  // namespace hearsay

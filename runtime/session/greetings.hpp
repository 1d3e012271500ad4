#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The handshakes before a run begins. Every source has to call this peer (send its hello), and every
/// destination has to answer this peer's hello with `welcome`. Peers may come up in any order, and a process
/// may be replaced by a new one with the same id.
class Greetings {
 public:
  Greetings(std::vector<PeerId> sources, std::vector<PeerId> destinations)
      : silent_(sources.begin(), sources.end()), reserved_(destinations.begin(), destinations.end()) {}

  enum class Call {
    first,
    again,         ///< the same process has called before
    by_successor,  ///< another process has called under this id before
  };
  /// Records a source's valid hello. `incarnation` identifies its process.
  Call called(PeerId source, std::uint32_t incarnation) {
    silent_.erase(source);
    const auto [known, is_new] = incarnations_.try_emplace(source, incarnation);
    if (is_new) return Call::first;
    const bool same = known->second == incarnation;
    known->second = incarnation;
    return same ? Call::again : Call::by_successor;
  }
  void welcomed_by(PeerId destination) { reserved_.erase(destination); }

  /// The run begins without this neighbor.
  void do_without(PeerId neighbor) {
    silent_.erase(neighbor);
    reserved_.erase(neighbor);
  }

  bool complete() const { return silent_.empty() && reserved_.empty(); }
  /// The destination with the lowest id that has not welcomed this peer; empty if all have.
  std::optional<PeerId> first_without_welcome() const { return first_of(reserved_); }
  /// The source with the lowest id that has not called this peer; empty if all have.
  std::optional<PeerId> first_silent() const { return first_of(silent_); }

 private:
  static std::optional<PeerId> first_of(const std::set<PeerId>& ids) {
    return ids.empty() ? std::nullopt : std::optional(*ids.begin());
  }

  std::set<PeerId> silent_;                       // sources that have not called
  std::set<PeerId> reserved_;                     // destinations that have not welcomed this peer
  std::map<PeerId, std::uint32_t> incarnations_;  // of the sources that have called
};

}  // namespace hearsay

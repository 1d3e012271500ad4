#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// How many bytes a peer has sent to each outgoing neighbor. Pure.
class SentBytes {
 public:
  using ToHearer = std::pair<PeerId, std::uint64_t>;

  SentBytes() = default;
  /// Starts from earlier counts, sorted by id.
  explicit SentBytes(std::vector<ToHearer> by_hearer) : by_hearer_(std::move(by_hearer)) {}

  void add(PeerId hearer, std::uint64_t bytes);

  /// Returns the counts, sorted by id.
  const std::vector<ToHearer>& by_hearer() const { return by_hearer_; }

 private:
  std::vector<ToHearer> by_hearer_;
};

}  // namespace hearsay

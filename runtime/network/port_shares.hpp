#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// The shares of the connections that send through one port. Those that have something to send have equal
/// shares.
///
/// Nobody says when a connection has sent all that it was given. So that is computed: it sends at its share.
/// One that is slower than its share is taken to be ready too soon. The others then send faster than
/// the port for a while, as they would without shares.
class PortShares {
 public:
  /// `port`: the bytes per second that all connections may send together; not unlimited.
  explicit PortShares(Bandwidth port) : port_(port) {}

  /// Connection `place` has `bytes` more to send, at `now`.
  void give(std::size_t place, std::uint64_t bytes, Instant now);

  /// The connection is broken: what it had is given anew, if at all.
  void forget(std::size_t place);

  /// What a connection that sends gets, as of `now`.
  struct Shares {
    const std::vector<std::size_t>& places;  ///< the connections that send
    Bandwidth each;
  };
  /// Returns the shares if they have changed since the last call. A connection that sends no more keeps the
  /// share that it had.
  std::optional<Shares> changed(Instant now);

  /// When shares change next because a connection has sent all it has; Instant::max() if none does.
  Instant next() const;

 private:
  double share() const { return port_.bytes_per_s / static_cast<double>(sending_.size()); }
  void advance(Instant now);
  void remove_ready(double bytes_at_most);

  Bandwidth port_;
  std::vector<std::size_t> sending_;  // places
  std::vector<double> left_;          // by place: bytes
  Instant as_of_{};
  bool has_changed_ = false;
};

}  // namespace hearsay

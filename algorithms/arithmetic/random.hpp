#pragma once

#include <array>
#include <cstdint>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a random stream is for. Two purposes never share a stream.
enum class Purpose : std::uint32_t {
  minibatch = 1,    ///< which local samples an iteration uses
  compression = 2,  ///< the rounding or selection inside a compressor
  initial_model = 3,
  data = 4,       ///< synthetic data
  partition = 5,  ///< which peer gets which sample
  network = 6,    ///< jitter and message loss
  compute = 7,    ///< emulated compute times
  decision = 8,   ///< decisions of a method: snapshots, participation
  objective = 9,  ///< what is random in an objective beside the choice of samples, such as dropout
  sketch = 10,    ///< the projections of a sketch
  held_out = 11,  ///< which samples data.test = "20%" holds out
  order = 12,     ///< in which order a pass takes the samples of a peer
  downlink = 13,  ///< the compression of what a hub says; `compression` is that of its own answer
  group = 14,     ///< the compression of what a peer between a hub and its workers has added up
  faults = 15,    ///< which peers are killed, and when
};

/// Returns 128 random bits for a counter and a key: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
/// Stateless, so the numbers of any peer, iteration or element can be computed in any order.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Two 32-bit subkeys a, b for a message. The compression kernels hash the index i of each element with them,
/// which is a fast counter-based generator:
///
///     h = (i ^ a) * M1;  h ^= h >> 16;  h ^= b;  h *= M2;  h ^= h >> 15
///
/// A single hash of i ^ a would give every key a permutation of one sequence. b between the two
/// multiplications makes the streams differ.
struct ElementKey {
  std::uint32_t a;
  std::uint32_t b;
};

std::uint32_t element_bits(ElementKey key, std::uint32_t index);

/// A stream of random numbers, keyed by (run seed, peer, iteration, purpose). Its distributions are our own,
/// so that the same seed gives the same bits with every standard library.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, PeerId peer, std::uint64_t iteration, Purpose purpose);

  std::uint32_t bits();
  /// Returns two draws of `bits`, the first in the upper half.
  std::uint64_t bits64();
  /// Uniform in [0, 1) with 53 random bits.
  double uniform();
  /// Uniform in {0, ..., bound-1}, without modulo bias; bound >= 1.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller).
  double normal();
  /// Draws the subkeys of a message, for kernels that hash element indices.
  ElementKey element_key();

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  unsigned used_ = 4;
  double spare_normal_ = 0.0;
  bool has_spare_normal_ = false;
};

}  // namespace hearsay

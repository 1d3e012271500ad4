#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/seam/packet.hpp"

namespace hearsay {

// Weights w in [-1, 1]^d, as votes v that are w in expectation, drawn for each coordinate by itself:
//
//   binary    v = 1 with probability (1 + w)/2, else -1           variance 1 - w^2
//   ternary   v = sign(w) with probability |w|, else 0            variance |w| - w^2
//
// A message of votes holds nothing else:
//
//   binary    bit k mod 8 of byte k / 8 is 1 iff v_k = 1; the unused bits of the last byte are 0
//   ternary   byte b is the sum of 3^p (v_{5b+p} + 1) over p = 0 ... 4; the unused digits of the last byte
//             are 0

/// The values of algorithm.vote.
enum class VoteForm { binary, ternary };

/// Returns the form that `text` names, "binary" or "ternary".
VoteForm vote_form(const std::string& text);

/// Returns the bytes of d votes: ceil(d/8), or ceil(d/5).
std::size_t votes_bytes(VoteForm form, Index dimension);

/// Writes votes for `weights` to `out`, replacing its contents. Draws one number for each coordinate, in
/// order. `not_finite` if a weight is NaN; `out` then holds some votes all the same.
template <class Scalar>
CodecStatus cast_votes(VoteForm form, const Vector<Scalar>& weights, RandomStream& random, PacketBuffer& out);

/// True if `message` is a whole message of d votes. Accepts any bytes.
bool are_votes(VoteForm form, std::span<const std::byte> message, Index dimension);

/// Calls take(k, v) for k = 0 ... d-1, with v = -1, 0 or 1. `message` must be one of d votes.
template <class Take>
void for_each_vote(VoteForm form, std::span<const std::byte> message, Index dimension, Take&& take) {
  const auto d = static_cast<std::size_t>(dimension);
  const std::size_t votes_in_byte = form == VoteForm::binary ? 8 : 5;
  unsigned rest = 0;
  for (std::size_t k = 0; k < d; ++k) {
    if (k % votes_in_byte == 0) rest = std::to_integer<unsigned>(message[k / votes_in_byte]);
    if (form == VoteForm::binary) {
      take(static_cast<Index>(k), (rest & 1U) != 0 ? 1 : -1);
      rest >>= 1U;
    } else {
      take(static_cast<Index>(k), static_cast<int>(rest % 3) - 1);
      rest /= 3;
    }
  }
}

}  // namespace hearsay

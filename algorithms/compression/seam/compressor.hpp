#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/compression/seam/traits.hpp"

namespace hearsay {

template <class Scalar>
class SharedSelection;
template <class Scalar>
class SentCoefficients;
template <class Scalar>
class SummedCoefficients;

/// The outcome of an encode or a decode. A status, never an exception: a diverging model and garbage from the
/// network are both expected. The run reports where they occurred, and since when.
enum class CodecStatus {
  ok,
  not_finite,    ///< the vector (or the decoded message) holds Inf or NaN
  saturated,     ///< a value is outside the range that the code can express
  malformed,     ///< the bytes are not a message of this compressor and dimension
  out_of_reach,  ///< the side information is too far from what was encoded to recover it
};

template <class Scalar>
struct EncodeInput {
  std::span<const Scalar> vector;  ///< z in R^d
  RandomStream& random;            ///< rounding and selection; keyed by (seed, peer, iteration, compression)
  std::span<const Scalar> latest =
      {};  ///< the part of z that is new since the last message (AdaComp); empty: all of it
  /// The coordinates to keep, as another peer has chosen them for all peers; only for compressors with a
  /// shared_selection. Empty: the compressor chooses.
  std::span<const std::uint32_t> shared_indices = {};
  /// The side information with which receivers decode (mod), as far as the sender knows it. Empty: zeros.
  std::span<const Scalar> near = {};
};

/// C: R^d -> bytes -> R^d. A compressor has no state that matters to its results: error feedback, replicas
/// and predictors belong to the methods. Encoding and decoding may use scratch space, so one object serves
/// one thread.
///
/// Law: `encode_and_apply` adds to the sender's vector, and `accumulate` to that of a replica's holder, by
/// the same floating-point operations in the same order. So replicas stay equal to their owner bit for bit.
template <class Scalar>
class Compressor {
 public:
  virtual ~Compressor() = default;

  /// The full spelling, aliases and defaults expanded: "dither(linf, levels=7, bucket=512)". Parses back to
  /// this compressor.
  virtual std::string spelling() const = 0;
  virtual Traits traits(std::size_t dimension) const = 0;

  /// Writes C(vector) into `out`, replacing its contents. How much it draws depends on no coordinate.
  virtual CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) = 0;
  /// `encode`, and into += C(vector) in the same sweep. The sender's own update thus uses what receivers
  /// decode, never the numbers before compression. `into` has the size of `input.vector` and does not overlap
  /// it. If the status is not ok, `into` is unspecified (buckets before the one at fault may have been
  /// applied); the run then stops.
  virtual CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                       std::span<Scalar> into) = 0;
  /// into += scale * C(vector), from the bytes of a packet. Accepts arbitrary bytes. `malformed` if the bytes
  /// are not one whole message of this compressor for a vector of into.size() entries. Any status but ok
  /// leaves `into` as it was.
  virtual CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) = 0;
  /// `accumulate` with side information, a vector near the encoded one, for compressors that use it (mod).
  /// `near` has the size of `into`, or is empty for zeros.
  virtual CodecStatus accumulate_near(std::span<const std::byte> packet, std::span<const Scalar> near,
                                      Scalar scale, std::span<Scalar> into) {
    (void)near;
    return accumulate(packet, scale, into);
  }

  /// The interface by which one peer chooses the coordinates of all (leader_topk); null if the compressor has
  /// none. Owned by the compressor.
  virtual SharedSelection<Scalar>* shared_selection() { return nullptr; }
  /// The interface by which messages are averaged over those that sent a coefficient (chunk-topk); null if
  /// the compressor has none. Owned by the compressor.
  virtual SentCoefficients<Scalar>* sent_coefficients() { return nullptr; }
  /// The interface by which messages are added up before they are transformed back (dct); null if that saves
  /// nothing, or if their transforms differ (fwht). Owned by the compressor.
  virtual SummedCoefficients<Scalar>* summed_coefficients() { return nullptr; }
};

/// Builds a compressor from its spelling. bucket=layer cuts vectors by `segments`, which must then tile every
/// vector that is encoded. Misuse names the column and what was expected there.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_compressor(const std::string& spelling,
                                                    const SegmentTable& segments);

}  // namespace hearsay

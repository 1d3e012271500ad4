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

/// How an encode or a decode went. It is data, never an exception: a diverging model or garbage from the
/// network is reported by it, and the run says where and since when.
enum class CodecStatus {
  ok,
  not_finite,    ///< the vector (or the decoded message) holds Inf or NaN
  saturated,     ///< a value left the range that the code can express
  malformed,     ///< the bytes are not a message of this compressor and dimension
  out_of_reach,  ///< the side information is too far from what was encoded to recover it
};

template <class Scalar>
struct EncodeInput {
  std::span<const Scalar> vector;  ///< z in R^d
  RandomStream& random;            ///< rounding and selection; keyed by (seed, peer, iteration, compression)
  std::span<const Scalar> latest =
      {};  ///< what was added to z since the last message (AdaComp); empty: all of z
  /// The coordinates that all peers keep (another peer's choice), if the compressor has a shared_selection;
  /// empty: its own choice.
  std::span<const std::uint32_t> shared_indices = {};
  /// The side information with which receivers decode (mod), as far as the sender knows it; empty: zeros.
  std::span<const Scalar> near = {};
};

/// C: R^d -> bytes -> R^d. It has no mathematical state: error feedback, replicas and predictors belong to
/// the methods. Encoding may use scratch space, so one object serves one thread.
///
/// Law: what `encode_and_apply` adds to the sender's vector and what `accumulate` adds to a holder's are the
/// same floating-point operations in the same order, so replicas stay equal to their owner bit for bit.
template <class Scalar>
class Compressor {
 public:
  virtual ~Compressor() = default;

  /// The spelling that parses back to this compressor, aliases expanded: "dither(linf, levels=7,
  /// bucket=512)".
  virtual std::string spelling() const = 0;
  virtual Traits traits(std::size_t dimension) const = 0;

  /// Writes C(vector) into `out` (replacing what it held).
  virtual CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) = 0;
  /// encode, and into += C(vector) in the same sweep: the sender's own update uses the decoded bytes, never
  /// the floats it meant to send. `into` has the size of `input.vector`; the two may not overlap. If the
  /// status is not ok, `into` is unspecified (a sweep may have applied other buckets before the one that
  /// failed) and the run stops.
  virtual CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                       std::span<Scalar> into) = 0;
  /// into += scale * C(vector), from the bytes of a packet. Accepts arbitrary bytes: anything but a whole
  /// message of this compressor for a vector of into.size() entries gives `malformed` and leaves `into` as it
  /// was.
  virtual CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) = 0;
  /// The same with a vector near the encoded one, for compressors that use it (mod). It has the size of
  /// `into`, or is empty for zeros.
  virtual CodecStatus accumulate_near(std::span<const std::byte> packet, std::span<const Scalar> near,
                                      Scalar scale, std::span<Scalar> into) {
    (void)near;
    return accumulate(packet, scale, into);
  }

  /// The interface by which one peer chooses the coordinates of all (leader_topk); null if the compressor has
  /// none.
  virtual SharedSelection<Scalar>* shared_selection() { return nullptr; }
};

/// Parses a compressor's spelling and builds it. `segments` is consulted by bucket=layer; it must tile the
/// vectors that will be encoded. Misuse with the position and what was expected there.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_compressor(const std::string& spelling,
                                                    const SegmentTable& segments);

}  // namespace hearsay

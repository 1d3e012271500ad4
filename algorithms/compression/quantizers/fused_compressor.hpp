#pragma once

#include <cstddef>
#include <limits>
#include <utility>

#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/compression/seam/buckets.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// A quantizer and the coder `raw` in one sweep: the same message as by the two stages, without codes in
/// between. This is what the fused compressors share; a derived class states the length of a message and does
/// the sweep.
template <class Scalar, template <class> class Stage>
class FusedCompressor : public RoundingCompressor<Scalar> {
 public:
  explicit FusedCompressor(Stage<Scalar> quantizer) : quantizer_(std::move(quantizer)) {}

  std::string spelling() const final { return quantizer_.spelling(); }
  Traits traits(std::size_t dimension) const final {
    Traits traits = quantizer_.traits(dimension);
    traits.bytes = message_bytes(dimension);
    return traits;
  }
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) final {
    return encode_into(input, out, {});
  }
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) final {
    ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
    return encode_into(input, out, into);
  }
  std::vector<Bracket> brackets(std::span<const Scalar> vector) const final {
    return quantizer_.brackets(vector);
  }

 protected:
  const Stage<Scalar>& quantizer() const { return quantizer_; }
  const Buckets& buckets() const { return quantizer_.buckets(); }

  virtual std::size_t message_bytes(std::size_t dimension) const = 0;
  /// Writes C(z) to `bytes`, which has message_bytes(z.size()) bytes. If `into` is not empty, adds C(z) to it
  /// on the way.
  virtual CodecStatus sweep(std::span<const Scalar> z, ElementKey key, std::span<std::byte> bytes,
                            std::span<Scalar> into) = 0;

 private:
  CodecStatus encode_into(const EncodeInput<Scalar>& input, PacketBuffer& out, std::span<Scalar> into) {
    const auto z = input.vector;
    ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
    // Drawn even if the sweep is deterministic, so that the stream goes on alike whatever the compressor is.
    const ElementKey key = input.random.element_key();
    return sweep(z, key, out.resize(message_bytes(z.size())), into);
  }

  Stage<Scalar> quantizer_;
};

}  // namespace hearsay

#include "algorithms/compression/none.hpp"

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/seam/compose.hpp"
#include "algorithms/compression/seam/full_precision.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> None<Scalar>::parse(const StageSpelling& stage,
                                                        const SegmentTable& segments) {
  const Arguments arguments(stage, {"", {}, {"bf16"}});
  if (arguments.flag("bf16")) return make_compressor<Scalar>("bf16", segments);
  return std::make_unique<None>();
}

template <class Scalar>
Traits None<Scalar>::traits(std::size_t dimension) const {
  Traits traits = exact_traits();
  traits.bytes = dimension * sizeof(Scalar);
  return traits;
}

template <class Scalar>
CodecStatus None<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  write_full(input.vector, out);
  return all_finite(input.vector) ? CodecStatus::ok : CodecStatus::not_finite;
}

template <class Scalar>
CodecStatus None<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                           std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = encode(input, out);
  if (status == CodecStatus::ok) add_full(out.bytes(), Scalar(1), into);
  return status;
}

template <class Scalar>
CodecStatus None<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                     std::span<Scalar> into) {
  if (packet.size() != into.size_bytes()) return CodecStatus::malformed;
  if (!all_finite<Scalar>(packet)) return CodecStatus::not_finite;
  add_full(packet, scale, into);
  return CodecStatus::ok;
}

template class None<float>;
template class None<double>;

}  // namespace hearsay

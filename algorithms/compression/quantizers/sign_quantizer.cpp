#include "algorithms/compression/quantizers/sign_quantizer.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/mean_magnitude.hpp"
#include "algorithms/compression/seam/scale_status.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> SignQuantizer<Scalar>::parse(const StageSpelling& stage,
                                                                const SegmentTable& segments) {
  const Arguments arguments(stage, {"bucket", {"bucket"}, {}});
  return std::make_unique<SignQuantizer>(Buckets::parse(arguments, segments, "layer"));
}

template <class Scalar>
Traits SignQuantizer<Scalar>::traits(std::size_t n) const {
  Traits traits;
  // The contraction of the largest bucket, which is the worst.
  traits.contraction = 1.0 / static_cast<double>(std::max<std::size_t>(buckets_.largest(n), 1));
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
CodecStatus SignQuantizer<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput&,
                                            std::span<std::byte> header,
                                            std::span<std::int32_t> codes) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const double scale = mean_magnitude(values.subspan(begin, size), size);
    const bool finite = std::isfinite(scale);
    if (!finite) status = CodecStatus::not_finite;
    write_scalar(header, bucket, static_cast<Scalar>(scale));
    for (std::size_t i = begin; i < begin + size; ++i) codes[i] = finite && values[i] < Scalar(0);
  });
  return status;
}

template <class Scalar>
CodecStatus SignQuantizer<Scalar>::reconstruct(std::span<const std::byte> header,
                                               std::span<const std::int32_t> codes,
                                               std::span<Scalar> values) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto scale = read_scalar<Scalar>(header, bucket);
    status = worse(status, status_of_scale(scale));
    for (std::size_t i = begin; i < begin + size; ++i) values[i] = codes[i] ? -scale : scale;
  });
  return status;
}

template <class Scalar>
std::vector<Bracket> SignQuantizer<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  bool finite = true;
  buckets_.for_each(values.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto z = values.subspan(begin, size);
    const auto scale = static_cast<double>(static_cast<Scalar>(mean_magnitude(z, size)));
    finite = finite && std::isfinite(scale);
    for (const Scalar value : z) {
      const double decoded = value < Scalar(0) ? -scale : scale;
      brackets.push_back({decoded, decoded, 0.0});
    }
  });
  if (!finite) brackets.clear();
  return brackets;
}

template class SignQuantizer<float>;
template class SignQuantizer<double>;

}  // namespace hearsay

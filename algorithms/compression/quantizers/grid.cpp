#include "algorithms/compression/quantizers/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "algorithms/compression/quantizers/grid_rounding.hpp"
#include "algorithms/compression/quantizers/place_packing.hpp"
#include "algorithms/compression/quantizers/quantizer_kernels.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

constexpr std::int32_t no_number = std::numeric_limits<std::int32_t>::min();

}  // namespace

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> Grid<Scalar>::parse(const StageSpelling& stage, const SegmentTable&) {
  const Arguments arguments(stage, {"step", {"step"}, {}});
  const auto step = arguments.positive("step");
  if (!step) arguments.refuse("step", "step=, the distance of the grid's points");
  if (!(*step >= std::numeric_limits<Scalar>::min() && *step <= std::numeric_limits<Scalar>::max()))
    arguments.refuse("step", "a step in the range of normal numbers of the run's scalar");
  return std::make_unique<Grid>(*step);
}

template <class Scalar>
Grid<Scalar>::Grid(double step)
    : step_(step),
      // Less one step, since rounding up adds one.
      largest_ratio_(std::min(
          0x1p31 - 1, std::floor(static_cast<double>(std::numeric_limits<Scalar>::max()) / step) - 1)) {
  ensure(step > 0.0, "a grid has a positive step");
}

template <class Scalar>
std::string Grid<Scalar>::spelling() const {
  return "grid(step=" + number_text(step_) + ")";
}

template <class Scalar>
Traits Grid<Scalar>::traits(std::size_t) const {
  Traits traits;
  traits.unbiased = true;
  traits.absolute_error_per_coordinate = step_ / 2.0;
  return traits;
}

template <class Scalar>
CodeRange Grid<Scalar>::range() const {
  return {no_number, std::numeric_limits<std::int32_t>::max()};
}

template <class Scalar>
CodecStatus Grid<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput& input,
                                   std::span<std::byte>, std::span<std::int32_t> codes) const {
  if constexpr (std::is_same_v<Scalar, float>)
    if (grid_codes_fast(values, step_, largest_ratio_, input.key, input.first, codes)) return CodecStatus::ok;
  CodecStatus status = CodecStatus::ok;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double ratio = static_cast<double>(values[i]) / step_;
    if (!(std::abs(ratio) < largest_ratio_)) {
      if (status != CodecStatus::not_finite)
        status = std::isfinite(values[i]) ? CodecStatus::saturated : CodecStatus::not_finite;
      continue;
    }
    const std::uint32_t u = element_bits(input.key, input.first + static_cast<std::uint32_t>(i));
    codes[i] = static_cast<std::int32_t>(grid_position(ratio).rounded(u));
  }
  if (status != CodecStatus::ok) {
    std::ranges::fill(codes, 0);
    codes.front() = no_number;
  }
  return status;
}

template <class Scalar>
CodecStatus Grid<Scalar>::reconstruct(std::span<const std::byte>, std::span<const std::int32_t> codes,
                                      std::span<Scalar> values) const {
  if constexpr (std::is_same_v<Scalar, float>) {
    const bool finite = grid_values_fast(codes, step_, values);
    const bool numbers = codes.empty() || least_and_most(codes).least != no_number;
    return finite && numbers ? CodecStatus::ok : CodecStatus::not_finite;
  }
  bool numbers = true;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    values[i] = value(codes[i]);
    numbers = numbers && codes[i] != no_number && std::isfinite(values[i]);
  }
  return numbers ? CodecStatus::ok : CodecStatus::not_finite;
}

template <class Scalar>
std::vector<Bracket> Grid<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  for (const Scalar z : values) {
    const double ratio = static_cast<double>(z) / step_;
    if (!(std::abs(ratio) < largest_ratio_)) return {};
    const GridPosition place = grid_position(ratio);
    brackets.push_back({static_cast<double>(value(place.whole)), static_cast<double>(value(place.whole + 1)),
                        place.probability_up()});
  }
  return brackets;
}

template class Grid<float>;
template class Grid<double>;

}  // namespace hearsay

#include "algorithms/compression/selectors/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/compression/selectors/magnitudes.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// Returns the smallest magnitude that is at least t > 0; that of Inf if there is none.
template <class Scalar>
Magnitude<Scalar> least_reaching(double t) {
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
  if (t > static_cast<double>(std::numeric_limits<Scalar>::max())) return magnitude(infinity);
  auto nearest = static_cast<Scalar>(t);
  if (static_cast<double>(nearest) < t) nearest = std::nextafter(nearest, infinity);
  return std::max(magnitude(nearest), Magnitude<Scalar>{1});  // zeros are never kept
}

}  // namespace

template <class Scalar>
std::unique_ptr<Selector<Scalar>> Threshold<Scalar>::parse(const StageSpelling& stage, const SegmentTable&) {
  const Arguments arguments(stage, {"", {"rel", "abs"}, {}});
  const auto relative = arguments.positive("rel");
  const auto absolute = arguments.positive("abs");
  if (relative && absolute) arguments.refuse("abs", "rel or abs, not both");
  if (!relative && !absolute) arguments.refuse("rel", "rel= (of the largest magnitude) or abs=");
  if (relative && *relative > 1.0) arguments.refuse("rel", "a number above 0 and at most 1");
  return std::make_unique<Threshold>(relative ? *relative : *absolute, relative.has_value());
}

template <class Scalar>
std::string Threshold<Scalar>::spelling() const {
  return (relative_ ? "threshold(rel=" : "threshold(abs=") + number_text(limit_) + ")";
}

template <class Scalar>
Traits Threshold<Scalar>::traits(std::size_t dimension) const {
  const double d = std::max(static_cast<double>(dimension), 1.0);
  Traits traits;
  traits.contraction = relative_ ? 1.0 / (1.0 + (d - 1.0) * limit_ * limit_) : 1.0 / d;
  if (!relative_) traits.absolute_error_per_coordinate = limit_;
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
void Threshold<Scalar>::select(const EncodeInput<Scalar>& input, std::span<std::byte>, Selection& selection) {
  const auto z = input.vector;
  selection.shared_scale.reset();
  selection.indices.reserve(z.size());
  found_.resize(z.size() + found_padding);
  selection.indices.assign(z.empty() ? 0 : 1, 0u);
  const Magnitude<Scalar> largest = largest_magnitude_of(z);
  const auto size = static_cast<double>(std::bit_cast<Scalar>(largest));
  if (largest == 0 || !std::isfinite(size)) return;

  const Magnitude<Scalar> border = least_reaching<Scalar>(relative_ ? limit_ * size : limit_);
  if (border > largest) {
    while (magnitude(z[selection.indices.front()]) < largest) ++selection.indices.front();
    return;
  }
  const std::size_t count = find_at_least<Scalar>(z, border, z.size(), {found_, {}});
  selection.indices.assign(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(count));
}

template class Threshold<float>;
template class Threshold<double>;

}  // namespace hearsay

#include "algorithms/compression/selectors/adacomp.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/compression/selectors/magnitudes.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<Selector<Scalar>> AdaComp<Scalar>::parse(const StageSpelling& stage,
                                                         const SegmentTable& segments) {
  const Arguments arguments(stage, {"bin", {"bin"}, {}});
  const auto bin = arguments.count("bin", 1, 0xFFFFFFFF).value_or(500);
  return std::make_unique<AdaComp>(static_cast<std::size_t>(bin), segments);
}

template <class Scalar>
AdaComp<Scalar>::AdaComp(std::size_t bin, const SegmentTable& segments) : bin_(bin) {
  for (const Segment& segment : segments) layer_ends_.push_back(static_cast<std::size_t>(segment.end()));
}

template <class Scalar>
Traits AdaComp<Scalar>::traits(std::size_t) const {
  Traits traits;
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
double AdaComp<Scalar>::select_in_bin(const EncodeInput<Scalar>& input, std::size_t begin, std::size_t end,
                                      std::vector<std::uint32_t>& kept) {
  const auto g = input.vector.subspan(begin, end - begin);
  const Scalar largest = std::bit_cast<Scalar>(largest_magnitude_of(g));
  if (!std::isfinite(largest))
    kept.push_back(static_cast<std::uint32_t>(begin));  // keeps one coordinate, for the message to fail on
  if (!std::isfinite(largest) || largest == Scalar(0)) return static_cast<double>(largest);

  // H = G + dW
  const auto sums = std::span(sums_).first(g.size());
  const auto latest = input.latest.empty() ? g : input.latest.subspan(begin, end - begin);
  for (std::size_t i = 0; i < g.size(); ++i) sums[i] = g[i] + latest[i];
  const std::size_t count = find_at_least<Scalar>(sums, magnitude(largest), g.size(), {found_, {}});
  for (const std::uint32_t i : std::span(found_).first(count))
    if (!std::isnan(sums[i])) kept.push_back(static_cast<std::uint32_t>(begin) + i);
  return static_cast<double>(largest);
}

template <class Scalar>
void AdaComp<Scalar>::select(const EncodeInput<Scalar>& input, std::span<std::byte>, Selection& selection) {
  const std::size_t d = input.vector.size();
  ensure(input.latest.empty() || input.latest.size() == d, "the latest gradient has the vector's size");
  ensure(layer_ends_.empty() || layer_ends_.back() == d, "the layers tile the vector");
  selection.indices.reserve(d);
  sums_.resize(std::min(bin_, d));
  found_.resize(sums_.size() + found_padding);
  selection.indices.clear();
  double maxima = 0.0;
  std::size_t bins = 0;
  const auto select_in_layer = [&](std::size_t begin, std::size_t end) {
    for (; begin < end; begin += bin_, ++bins)
      maxima += select_in_bin(input, begin, std::min(begin + bin_, end), selection.indices);
  };
  if (layer_ends_.empty()) {
    select_in_layer(0, d);
  } else {
    std::size_t begin = 0;
    for (const std::size_t end : layer_ends_) {
      select_in_layer(begin, end);
      begin = end;
    }
  }
  selection.shared_scale = bins > 0 ? maxima / static_cast<double>(bins) : 0.0;
}

template class AdaComp<float>;
template class AdaComp<double>;

}  // namespace hearsay

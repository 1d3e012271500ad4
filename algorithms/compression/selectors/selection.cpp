#include "algorithms/compression/selectors/selection.hpp"

#include <algorithm>
#include <cmath>

#include "topology/foundation/spelling.hpp"

namespace hearsay {

SelectionSize SelectionSize::parse(const Arguments& arguments, const SegmentTable& segments) {
  SelectionSize size;
  const auto share = arguments.share("share");
  const auto dimension =
      segments.empty() ? std::uint64_t{0xFFFFFFFF} : static_cast<std::uint64_t>(segments.back().end());
  const auto count = arguments.count("k", 1, std::max(dimension, std::uint64_t{1}));
  if (share && count) arguments.refuse("k", "a share or k, not both");
  if (!share && !count) arguments.refuse("share", "a share such as 1%, or k=");
  size.count_ = static_cast<std::size_t>(count.value_or(0));
  size.share_ = share.value_or(0.0);
  return size;
}

std::size_t SelectionSize::of(std::size_t dimension) const {
  if (count_ > 0) return std::min(count_, dimension);
  // The binary form of 7% is slightly above it; without the factor, ceil would make 8 of 7% of 100.
  const double exact = share_ * static_cast<double>(dimension) * (1.0 - 1e-12);
  return std::min(std::max(static_cast<std::size_t>(std::ceil(exact)), std::size_t{1}), dimension);
}

std::string SelectionSize::spelling() const {
  if (count_ > 0) return "k=" + std::to_string(count_);
  const double percent = share_ * 100.0;
  return percent / 100.0 == share_ ? number_text(percent) + "%" : "share=" + number_text(share_);
}

}  // namespace hearsay

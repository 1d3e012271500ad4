#include "algorithms/compression/seam/buckets.hpp"

#include <algorithm>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

Buckets Buckets::parse(const Arguments& arguments, const SegmentTable& segments,
                       const std::string& fallback) {
  Buckets buckets;
  const std::string_view given = arguments.text("bucket");
  buckets.spelling_ = given.empty() ? fallback : std::string(given);
  if (buckets.spelling_ == "whole") return whole();
  if (buckets.spelling_ == "layer") {
    for (const Segment& segment : segments)
      if (segment.size() > 0) buckets.layer_bounds_.push_back(static_cast<std::size_t>(segment.begin));
    if (!buckets.layer_bounds_.empty())
      buckets.layer_bounds_.push_back(static_cast<std::size_t>(segments.back().end()));
    return buckets;
  }
  const auto size = given.empty() ? std::stoull(fallback)
                                  : *arguments.count("bucket", 1, 0xFFFFFFFF, " or 'layer' or 'whole'");
  buckets.size_ = static_cast<std::size_t>(size);
  buckets.spelling_ = std::to_string(size);
  return buckets;
}

Buckets Buckets::whole() {
  Buckets buckets;
  buckets.spelling_ = "whole";
  return buckets;
}

std::string Buckets::spelling() const { return spelling_; }

std::size_t Buckets::count(std::size_t dimension) const {
  if (by_layer()) return layer_bounds_.size() - 1;
  if (size_ == 0) return dimension > 0 ? 1 : 0;
  return (dimension + size_ - 1) / size_;
}

std::size_t Buckets::largest(std::size_t dimension) const {
  std::size_t largest = 0;
  for_each(dimension, [&](std::size_t, std::size_t, std::size_t size) { largest = std::max(largest, size); });
  return largest;
}

void Buckets::check_layers(std::size_t dimension) const {
  ensure(layer_bounds_.front() == 0 && layer_bounds_.back() == dimension,
         "the layers that a compressor was built for tile the vector it is given");
}

}  // namespace hearsay

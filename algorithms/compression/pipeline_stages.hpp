#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/compression/seam/coder.hpp"
#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/selector.hpp"
#include "algorithms/compression/seam/transform.hpp"

namespace hearsay {

/// The stages of a compressor, in the order in which a vector passes them. Each may be missing.
template <class Scalar>
struct PipelineStages {
  std::vector<std::unique_ptr<Transform<Scalar>>> transforms;
  std::unique_ptr<Selector<Scalar>> selector;
  std::unique_ptr<Quantizer<Scalar>> quantizer;  ///< none: the values in full precision
  std::unique_ptr<IndexCoder> index_coder;       ///< with a selector whose indices travel
  std::unique_ptr<Coder> coder;                  ///< with a quantizer

  std::string spelling() const;
  Traits traits(std::size_t dimension) const;
  /// True if a transform uses a seed.
  bool use_seed() const;
  /// True if a transform mixes coordinates.
  bool mix() const;
  /// The number of coefficients that the transforms make of a vector.
  std::size_t coefficients_of(std::size_t dimension) const;
  /// The size of the longest message.
  std::size_t most_bytes(std::size_t dimension) const;
};

extern template struct PipelineStages<float>;
extern template struct PipelineStages<double>;

}  // namespace hearsay

#pragma once

#include <vector>

#include "tools/examples/layer_parallel/residual_network.hpp"

namespace hearsay::layer_parallel::test {

/// What back-propagation through the whole network says, written down once more, sample by sample and number
/// by number.
struct Reference {
  double loss = 0.0;                        ///< mean over the samples
  Vector<double> gradient;                  ///< by all weights
  std::vector<DenseRows<double>> states;    ///< h_0, ..., h_blocks, each samples x width
  std::vector<DenseRows<double>> adjoints;  ///< the slopes of the loss by them
};

Reference back_propagation(const Shape& network, const Samples<double>& samples,
                           const Vector<double>& weights);

}  // namespace hearsay::layer_parallel::test

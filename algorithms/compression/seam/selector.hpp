#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// What a selector has chosen.
struct Selection {
  std::vector<std::uint32_t> indices;  ///< strictly ascending
  std::optional<double> shared_scale;  ///< a magnitude for the quantizer (AdaComp)
};

/// The stage that keeps some coordinates and drops the others, which decode to 0. Ties go to the lower index,
/// so that all who select from the same vector select the same coordinates.
template <class Scalar>
class Selector {
 public:
  virtual ~Selector() = default;

  virtual std::string spelling() const = 0;
  /// The traits of C(z) = `factor` times z on the selection, 0 elsewhere. `bytes` stays 0.
  virtual Traits traits(std::size_t dimension) const = 0;
  /// The number of coordinates that are kept; an upper bound if `count_varies`.
  virtual std::size_t most(std::size_t dimension) const = 0;
  virtual bool count_varies() const { return false; }
  /// The fewest coordinates that are kept of a vector that is not empty, if `count_varies`.
  virtual std::size_t fewest() const { return 0; }
  /// True if the choice depends on EncodeInput::latest.
  virtual bool uses_latest() const { return false; }
  /// True if one peer's choice may serve all peers. The number of indices is then fixed, and they travel.
  virtual bool shares_indices() const { return false; }
  /// True if it keeps at least one coordinate of a vector that is not empty, those of largest magnitude, with
  /// factor 1. If the vector is not finite, such a coordinate is then among them.
  virtual bool keeps_largest() const { return false; }
  /// The factor by which kept values are multiplied.
  virtual Scalar factor(std::size_t dimension) const {
    (void)dimension;
    return Scalar(1);
  }
  /// The stages that a pipeline adds if its spelling ends with the selector; "" to send the values in full
  /// precision.
  virtual std::string default_tail() const { return ""; }

  /// The size in bytes of a seed from which a receiver draws the indices itself; 0 if the indices travel.
  virtual std::size_t seed_bytes(std::size_t dimension) const {
    (void)dimension;
    return 0;
  }
  /// Chooses coordinates of input.vector. Fills `selection` (keeping its storage) and `seed`, which has
  /// seed_bytes bytes. For a vector that is not finite, any selection of at least one coordinate will do.
  virtual void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) = 0;
  /// Draws the indices from a seed; only if seed_bytes > 0. Accepts arbitrary bytes.
  virtual void draw(std::span<const std::byte> seed, std::size_t dimension,
                    std::vector<std::uint32_t>& indices) {
    (void)seed, (void)dimension, (void)indices;
  }
};

}  // namespace hearsay

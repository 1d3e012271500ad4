#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// What a selector chose.
struct Selection {
  std::vector<std::uint32_t> indices;  ///< strictly ascending
  std::optional<double> shared_scale;  ///< a magnitude for the quantizer (AdaComp)
};

/// The stage that keeps some coordinates and drops the others (they decode to 0). Ties go to the lower index, so that
/// whoever selects from the same vector selects the same.
template <class Scalar>
class Selector {
 public:
  virtual ~Selector() = default;

  virtual std::string spelling() const = 0;
  /// Of C(z) = z on the selection, 0 elsewhere (times `factor`); without bytes.
  virtual Traits traits(std::size_t dimension) const = 0;
  /// How many coordinates are kept: exactly, or at most where `count_varies`.
  virtual std::size_t most(std::size_t dimension) const = 0;
  virtual bool count_varies() const { return false; }
  /// How many at least, where `count_varies` and there is a coordinate at all.
  virtual std::size_t fewest() const { return 0; }
  /// Whether EncodeInput::latest matters.
  virtual bool uses_latest() const { return false; }
  /// Whether one peer's choice may be everybody's: a fixed number of indices that travel.
  virtual bool shares_indices() const { return false; }
  /// What kept values are multiplied by.
  virtual Scalar factor(std::size_t dimension) const {
    (void)dimension;
    return Scalar(1);
  }
  /// Stages that a pipeline takes where nothing follows the selector: "" for the values in full precision.
  virtual std::string default_tail() const { return ""; }

  /// Bytes from which a receiver draws the indices itself; 0 where they travel.
  virtual std::size_t seed_bytes(std::size_t dimension) const {
    (void)dimension;
    return 0;
  }
  /// Fills `selection` (keeping its storage) and `seed`. Of a vector that is not finite any selection will do, but one that
  /// has at least one coordinate.
  virtual void select(const EncodeInput<Scalar>& input, std::span<std::byte> seed, Selection& selection) = 0;
  /// The indices that a seed stands for, where seed_bytes > 0. Total.
  virtual void draw(std::span<const std::byte> seed, std::size_t dimension,
                    std::vector<std::uint32_t>& indices) {
    (void)seed, (void)dimension, (void)indices;
  }
};

}  // namespace hearsay

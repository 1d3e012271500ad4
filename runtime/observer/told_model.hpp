#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "algorithms/arithmetic/vector.hpp"
#include "runtime/foundation/read_in_place.hpp"
#include "runtime/record/json.hpp"

namespace hearsay {

/// A model that a peer has told: a copy, or where it stands until the verdict on the evaluation is said.
template <class Scalar>
class ToldModel {
 public:
  ToldModel() = default;
  explicit ToldModel(Vector<Scalar> copy) : copy_(std::move(copy)) {}
  explicit ToldModel(std::span<const Scalar> in_place) : in_place_(in_place) {}

  bool is_there() const { return copy_.size() != 0 || !in_place_.empty(); }
  std::span<const Scalar> all() const { return in_place_.empty() ? view(copy_) : in_place_; }
  /// Returns a copy: the one that is here, or of what stands in its place.
  Vector<Scalar> take() && {
    if (in_place_.empty()) return std::move(copy_);
    return Eigen::Map<const Vector<Scalar>>(in_place_.data(), static_cast<Index>(in_place_.size()));
  }

 private:
  Vector<Scalar> copy_;
  std::span<const Scalar> in_place_;
};

/// What a peer tells with an evaluation.
template <class Scalar>
struct ToldSnapshot {
  PeerMeters meters;
  ToldModel<Scalar> model;
};

/// Reads the payload of an evaluation. The model stays where it is if that is in `memory`, which may be
/// null. Returns nothing if the payload is malformed.
template <class Scalar>
std::optional<ToldSnapshot<Scalar>> read_snapshot(std::span<const std::byte> payload, Index dimension,
                                                  const ReadInPlace* memory);

}  // namespace hearsay

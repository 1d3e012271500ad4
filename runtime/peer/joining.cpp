#include "runtime/peer/joining.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "algorithms/arithmetic/reductions.hpp"

namespace hearsay {

template <class Scalar>
PacketRef copy_of(const Vector<Scalar>& model, PacketBuffer buffer) {
  const std::span<const std::byte> bytes = std::as_bytes(view(model));
  std::ranges::copy(bytes, buffer.resize(bytes.size()).begin());
  return std::move(buffer).seal();
}

template <class Scalar>
std::optional<Vector<Scalar>> model_of(std::span<const std::byte> bytes, Index dimension) {
  if (bytes.size() != static_cast<std::size_t>(dimension) * sizeof(Scalar)) return std::nullopt;
  Vector<Scalar> model(dimension);
  std::memcpy(model.data(), bytes.data(), bytes.size());
  if (!all_finite(view(std::as_const(model)))) return std::nullopt;
  return model;
}

void JoiningQuestion::add(PeerId neighbor) {
  const auto place = std::ranges::lower_bound(neighbors_, neighbor);
  if (place == neighbors_.end() || *place != neighbor) neighbors_.insert(place, neighbor);
}

bool JoiningQuestion::may_ask(PeerId neighbor) const {
  return std::ranges::binary_search(neighbors_, neighbor);
}

PeerId JoiningQuestion::whom(Instant now) {
  if (now - since_ < patience_) return asked_;
  since_ = now;
  const auto next = std::ranges::upper_bound(neighbors_, asked_);
  return asked_ = next == neighbors_.end() ? neighbors_.front() : *next;
}

template PacketRef copy_of<float>(const Vector<float>&, PacketBuffer);
template PacketRef copy_of<double>(const Vector<double>&, PacketBuffer);
template std::optional<Vector<float>> model_of<float>(std::span<const std::byte>, Index);
template std::optional<Vector<double>> model_of<double>(std::span<const std::byte>, Index);

}  // namespace hearsay

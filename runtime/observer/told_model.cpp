#include "runtime/observer/told_model.hpp"

#include <cstdint>

namespace hearsay {

template <class Scalar>
std::optional<ToldSnapshot<Scalar>> read_snapshot(std::span<const std::byte> payload, Index dimension,
                                                  const ReadInPlace* memory) {
  if (memory && memory->holds(payload)) {
    const auto count = static_cast<std::size_t>(dimension);
    auto parts = split_snapshot(payload, count * sizeof(Scalar));
    if (!parts) return std::nullopt;
    const std::byte* const begin = parts->model.data();
    if (reinterpret_cast<std::uintptr_t>(begin) % alignof(Scalar) == 0) {
      const std::span<const Scalar> model(reinterpret_cast<const Scalar*>(begin), count);
      return ToldSnapshot<Scalar>{std::move(parts->meters), ToldModel<Scalar>(model)};
    }
  }
  auto snapshot = decode_snapshot<Scalar>(payload, dimension);
  if (!snapshot) return std::nullopt;
  return ToldSnapshot<Scalar>{std::move(snapshot->meters), ToldModel<Scalar>(std::move(snapshot->model))};
}

template std::optional<ToldSnapshot<float>> read_snapshot<float>(std::span<const std::byte>, Index,
                                                                 const ReadInPlace*);
template std::optional<ToldSnapshot<double>> read_snapshot<double>(std::span<const std::byte>, Index,
                                                                   const ReadInPlace*);

}  // namespace hearsay

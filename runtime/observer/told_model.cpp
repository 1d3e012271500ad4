#include "runtime/observer/told_model.hpp"

#include <cstdint>

namespace hearsay {

template <class Scalar>
std::optional<ToldSnapshot<Scalar>> read_snapshot(std::span<const std::byte> payload, Index dimension,
                                                  const SharedSlots* slots) {
  if (!slots || !slots->holds(payload)) {
    auto snapshot = decode_snapshot<Scalar>(payload, dimension);
    if (!snapshot) return std::nullopt;
    return ToldSnapshot<Scalar>{std::move(snapshot->meters), ToldModel<Scalar>(std::move(snapshot->model))};
  }
  const auto count = static_cast<std::size_t>(dimension);
  auto snapshot = split_snapshot(payload, count * sizeof(Scalar));
  if (!snapshot || reinterpret_cast<std::uintptr_t>(snapshot->model.data()) % alignof(Scalar) != 0)
    return std::nullopt;
  const std::span<const Scalar> model(reinterpret_cast<const Scalar*>(snapshot->model.data()), count);
  return ToldSnapshot<Scalar>{std::move(snapshot->meters), ToldModel<Scalar>(model)};
}

template std::optional<ToldSnapshot<float>> read_snapshot<float>(std::span<const std::byte>, Index,
                                                                 const SharedSlots*);
template std::optional<ToldSnapshot<double>> read_snapshot<double>(std::span<const std::byte>, Index,
                                                                   const SharedSlots*);

}  // namespace hearsay

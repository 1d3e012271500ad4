#include "algorithms/methods/parts/sparse_model.hpp"

#include <cstdint>
#include <utility>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/seam/full_precision.hpp"

namespace hearsay {

namespace {

using Count = std::uint32_t;

template <class Scalar>
std::size_t sparse_bytes(std::size_t entries) {
  return sizeof(Count) + entries * (sizeof(Count) + sizeof(Scalar));
}

/// model = message. False, and `model` unspecified, unless the message is a whole one in sparse form.
template <class Scalar>
bool read_sparse(std::span<const std::byte> message, Vector<Scalar>& model) {
  if (message.size() < sizeof(Count)) return false;
  const std::size_t entries = read_scalar<Count>(message, 0);
  if (message.size() != sparse_bytes<Scalar>(entries)) return false;
  const auto indices = message.subspan(sizeof(Count), entries * sizeof(Count));
  const auto values = message.subspan(sizeof(Count) + indices.size());
  model.setZero();
  Index next = 0;
  for (std::size_t k = 0; k < entries; ++k) {
    const auto index = static_cast<Index>(read_scalar<Count>(indices, k));
    if (index < next || index >= model.size()) return false;
    model[index] = read_scalar<Scalar>(values, k);
    next = index + 1;
  }
  return true;
}

}  // namespace

template <class Scalar>
void tell_sparse_model(Iteration<Scalar>& it, const Vector<Scalar>& model) {
  PacketBuffer buffer = it.new_packet();
  std::size_t entries = 0;
  for (const Scalar entry : model) entries += entry != 0 ? 1 : 0;
  const std::size_t bytes = sparse_bytes<Scalar>(entries);
  if (it.number() == 1) {
    buffer.resize(0);
  } else if (bytes >= view(model).size_bytes()) {
    write_full<Scalar>(view(model), buffer);
  } else {
    const std::span<std::byte> message = buffer.resize(bytes);
    write_scalar(message, 0, static_cast<Count>(entries));
    const auto indices = message.subspan(sizeof(Count), entries * sizeof(Count));
    const auto values = message.subspan(sizeof(Count) + indices.size());
    std::size_t k = 0;
    for (Index index = 0; index < model.size(); ++index) {
      if (model[index] == 0) continue;
      write_scalar(indices, k, static_cast<Count>(index));
      write_scalar(values, k, model[index]);
      ++k;
    }
  }
  it.post(std::move(buffer).seal());
}

template <class Scalar>
bool hear_sparse_model(Iteration<Scalar>& it, std::span<const PacketRef> packets, Vector<Scalar>& model) {
  if (packets.empty() || !packets.front()) return false;
  const std::span<const std::byte> message = packets.front()->bytes();
  if (it.number() == 1 && message.empty()) return true;
  const bool fits = message.size() == view(model).size_bytes() ? read_full<Scalar>(message, view(model))
                                                               : read_sparse(message, model);
  if (!fits) it.report(CodecStatus::malformed);
  return true;
}

#define HEARSAY_SPARSE_MODEL(Scalar)                                                  \
  template void tell_sparse_model<Scalar>(Iteration<Scalar>&, const Vector<Scalar>&); \
  template bool hear_sparse_model<Scalar>(Iteration<Scalar>&, std::span<const PacketRef>, Vector<Scalar>&);
HEARSAY_SPARSE_MODEL(float)
HEARSAY_SPARSE_MODEL(double)
#undef HEARSAY_SPARSE_MODEL

}  // namespace hearsay

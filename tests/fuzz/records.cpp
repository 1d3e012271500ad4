// The payload of a record that peers report to the observer. Byte 0 chooses the record.
#include "runtime/record/json.hpp"

#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

constexpr Index dimension = 3;

template <class Scalar>
void read_snapshot(const std::vector<std::byte>& payload) {
  const auto snapshot = decode_snapshot<Scalar>(payload, dimension);
  if (!snapshot) return;
  ensure(snapshot->model.size() == dimension, "a snapshot has a model of the run's dimension");
  const auto once = encode_snapshot(snapshot->meters, snapshot->model);
  const auto again = decode_snapshot<Scalar>(once, dimension);
  ensure(again && encode_snapshot(again->meters, again->model) == once, "a snapshot survives the way back");
}

void read_outcome(const std::vector<std::byte>& payload) {
  const auto outcome = decode_outcome(payload);
  if (!outcome) return;
  const auto once = encode_outcome(*outcome);
  const auto again = decode_outcome(once);
  ensure(again && encode_outcome(*again) == once, "an outcome survives the way back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto which = input.take<std::uint8_t>() % 3;
  const std::vector<std::byte> payload = input.rest();
  if (which == 0) read_outcome(payload);
  if (which == 1) read_snapshot<float>(payload);
  if (which == 2) read_snapshot<double>(payload);
  return 0;
}

// A message of a backlog, and vectors in full precision. Byte 0 says how many packets of the sender were
// heard before.
#include "algorithms/methods/parts/backlog.hpp"

#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

constexpr Index dimension = 5;

template <class Scalar>
void catch_up_with(const std::vector<std::byte>& message, std::uint64_t heard) {
  Vector<Scalar> replica = Vector<Scalar>::Zero(dimension);
  const std::uint64_t before = heard;
  std::uint64_t last = heard;
  const CodecStatus status =
      catch_up(message, heard, replica, [&](std::span<const std::byte> packet, std::uint64_t number) {
        ensure(number == ++last, "packets are replayed in the order in which they were said");
        return add_full<Scalar>(packet, Scalar(1), view(replica)) ? CodecStatus::ok : CodecStatus::malformed;
      });
  const bool parsed =
      BacklogMessage::parse(message, before, static_cast<std::size_t>(dimension) * sizeof(Scalar))
          .has_value();
  ensure(parsed || (status == CodecStatus::malformed && heard == before),
         "what is no message changes nothing");
  ensure(last == before || last == heard, "all packets that the message claims are replayed");
}

template <class Scalar>
void read_in_full(const std::vector<std::byte>& message) {
  Vector<Scalar> into = Vector<Scalar>::Zero(dimension);
  const Vector<Scalar> own = into;
  const bool whole = message.size() == static_cast<std::size_t>(dimension) * sizeof(Scalar);
  ensure(read_full<Scalar>(message, view(into)) == whole, "a vector is read whole or not at all");
  ensure(add_full<Scalar>(message, Scalar(1), view(into)) == whole, "a vector is added whole or not at all");
  ensure(add_weighted_difference<Scalar>(message, Scalar(1), view(own), view(into)) == whole,
         "a difference is added whole or not at all");
  ensure(average_full<Scalar>(message, view(into)) == whole, "a vector is averaged whole or not at all");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint64_t heard = input.take<std::uint8_t>();
  const std::vector<std::byte> message = input.rest();
  catch_up_with<float>(message, heard);
  catch_up_with<double>(message, heard);
  read_in_full<float>(message);
  read_in_full<double>(message);
  return 0;
}

// A letter between members that agree on who they are.
#include "runtime/membership/letter_bytes.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::vector<std::byte> bytes = input.rest();
  const std::optional<membership::Letter> letter = membership::decode_letter(bytes);
  ensure(!letter || membership::encode(*letter) == bytes, "a letter has one spelling");
  return 0;
}

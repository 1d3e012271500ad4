// What a program says to its peer: its hello, and its answers.
#include <cmath>
#include <variant>

#include "runtime/program/hello.hpp"
#include "runtime/program/protocol.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

constexpr Index largest_dimension = 1'000'000;

void read_as_hello(const std::string& text) {
  const auto read = read_hello(text, largest_dimension);
  const auto* hello = std::get_if<ProgramHello>(&read);
  if (hello == nullptr) return ensure(!std::get<std::string>(read).empty(), "a refused hello has a reason");
  ensure(hello->dimension >= 1 && hello->dimension <= largest_dimension, "a dimension is within its limit");
  ensure(hello->samples >= 0, "a number of samples is none below 0");
  Index end = 0;
  for (const Segment& layer : hello->layers) {
    ensure(layer.begin == end && layer.size() >= 1, "layers follow each other without gaps");
    end = layer.end();
  }
  ensure(end == hello->dimension, "layers tile the parameters");
}

void read_as_answer(const std::vector<std::byte>& bytes) {
  const auto answer = decode_answer(bytes);
  if (!answer) return;
  ensure(answer->hits <= answer->judged, "no more hits than judged samples");
  for (const char letter : answer->text)
    ensure(static_cast<unsigned char>(letter) >= 32, "a text has no control characters");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  // A hello is JSON, so it begins with a brace.
  if (size > 0 && data[0] == '{')
    read_as_hello(input.text());
  else
    read_as_answer(input.rest());
  return 0;
}

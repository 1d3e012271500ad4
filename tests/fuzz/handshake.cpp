// The input is the payload of a hello, and of a sentence that may be printed on a terminal.
#include "runtime/wire/agreement.hpp"

#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Agreement mine{{{"algorithm.kind", "dcd-psgd"}, {"run.seed", "1"}}};
  const std::vector<std::byte> payload = fuzz::Input(data, size).rest();
  if (const auto theirs = decode_agreement(payload)) {
    ensure(encode_agreement(*theirs) == payload, "an agreement that decodes encodes to the same bytes");
    const bool differs = disagreement(mine, *theirs, "a stranger", "peer 0").has_value();
    ensure(differs == (mine.settings != theirs->settings), "a difference is named, and only a difference");
  }
  const auto theirs = decode_agreement(payload);
  const bool agrees = theirs && theirs->settings == mine.settings;  // `mine` states nothing beside them
  ensure(judge_hello(mine, 0, payload, 1, true).welcome() == agrees, "only who agrees is welcome");
  ensure(!judge_hello(mine, 0, payload, 1, false).welcome(), "who is not listened to is not welcome");

  const std::string text = printable_text(payload);
  ensure(
      text.size() <= 1024 && std::none_of(text.begin(), text.end(), [](char c) { return c >= 0 && c < 32; }),
      "a sentence from the network is short and has no control characters");
  return 0;
}

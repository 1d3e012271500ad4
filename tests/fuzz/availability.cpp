// A file that says when each peer is there.
#include <string>

#include "runtime/settings/availability_file.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr PeerId peers = 3;
  const std::string text = fuzz::Input(data, size).text();
  fuzz::may_refuse([&] {
    const std::vector<Availability> all = parse_availability(text, "trace.csv", peers);
    ensure(all.size() == peers, "a file that is read says of every peer when it is there");
    const Duration takes = std::chrono::seconds(1);
    for (const Availability& peer : all) {
      const Duration end = peer.been_there(takes, Duration{0});
      const bool is_cut_off = end >= std::chrono::seconds(1'000'000'000);
      ensure(is_cut_off || peer.presence(Duration{0}, end) >= takes,
             "who has been there for a second was there so long");
      ensure(peer.from(Duration{0}) <= end, "who has been there came before");
      ensure(peer.computed(takes, Duration{0}) > Duration{0}, "a gradient takes time");
    }
  });
  return 0;
}

// A peer restored from an image. Two bytes choose the method. One byte says what the rest holds (the image
// itself, or edits of a real image, each a place (two bytes) and a byte to xor there) and whether waiting
// messages are kept.
#include "runtime/checkpoint/peer_image.hpp"

#include <map>

#include "algorithms/methods/registry.hpp"
#include "runtime/peer/peer.hpp"
#include "tests/fuzz/choice.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/experiments.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

/// A run of one peer, and the image of the peer after one iteration.
struct Bench {
  Experiment<float> experiment;
  std::vector<std::byte> image;
};

Bench make_bench(const std::string& method) {
  Bench bench{experiment_from<float>("run.iterations = 100\nrun.evaluate_every = 100\ntopology.peers = 1\n"
                                     "data.source = \"synthetic(samples=24, features=4, classes=3)\"\n"
                                     "algorithm.batch = 2\nalgorithm.allow_unsound = true\n"
                                     "algorithm.kind = \"" +
                                     method + "\"\n"),
              {}};
  PacketPool packets;
  const auto peer = make_peer(bench.experiment, 0, packets, {.every = 1});
  peer->start();
  while (peer->state() == PeerState::needs_gradient) {
    peer->compute_gradient();
    peer->gradient_arrived();
  }
  ensure(peer->state() == PeerState::checkpoint_due, "a lone peer comes to its first checkpoint");
  bench.image = image_of(*peer);
  return bench;
}

const Bench& bench(const std::string& method) {
  static std::map<std::string, Bench> benches;
  const auto place = benches.find(method);
  return place != benches.end() ? place->second : benches.emplace(method, make_bench(method)).first->second;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (!method.asynchronous) names.push_back(method.name);
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Circle circle(method_names());
  fuzz::Input input(data, size);
  const Bench& chosen = bench(circle.choose(input.take<std::uint16_t>()));
  const auto options = input.take<std::uint8_t>();
  std::vector<std::byte> image = chosen.image;
  if (options % 2 == 1) image = input.rest();
  while (!input.empty()) {
    const auto place = input.take<std::uint16_t>() % image.size();
    image[place] ^= static_cast<std::byte>(input.take<std::uint8_t>());
  }
  PacketPool packets;
  const auto peer = make_peer(chosen.experiment, 0, packets, {.every = 1});
  const bool whole =
      restore(*peer, image, options / 2 % 2 == 1 ? InboxOnRestore::keep : InboxOnRestore::drop);
  ensure(whole || image != chosen.image, "an image is taken as it was");
  return 0;
}

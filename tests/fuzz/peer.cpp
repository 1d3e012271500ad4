// Three peers train by a registered method, and some of their messages are damaged on the way. Two bytes
// choose the method, one byte says whether links change from round to round. Then each message has a byte for
// its fate, and the arguments of that.
#include "runtime/peer/peer.hpp"

#include <deque>
#include <map>

#include "algorithms/methods/registry.hpp"
#include "tests/fuzz/choice.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/experiments.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

constexpr PeerId peer_count = 3;

/// Returns the experiment; null if the method does not take such a schedule.
const Experiment<float>* experiment(const std::string& method, bool links_vary) {
  static std::map<std::pair<std::string, bool>, std::optional<Experiment<float>>> experiments;
  const auto [place, fresh] = experiments.try_emplace({method, links_vary});
  if (fresh)
    fuzz::may_refuse([&, at = place] {
      at->second = experiment_from<float>(
          "run.iterations = 100\nrun.evaluate_every = 100\ntopology.peers = 3\n"
          "data.source = \"synthetic(samples=24, features=4, classes=3)\"\n"
          "algorithm.batch = 2\nalgorithm.allow_unsound = true\nalgorithm.kind = \"" +
          method + "\"\n" +
          (!links_vary                           ? ""
           : find_method(method).pattern.has_hub ? "topology.participation = 0.5\n"
                                                 : "topology.schedule = \"one-peer-exponential\"\n"));
    });
  ensure(place->second || links_vary, "every method runs where links are fixed");
  return place->second ? &*place->second : nullptr;
}

class Scene {
 public:
  Scene(const Experiment<float>& experiment, fuzz::Input input) : input_(input) {
    for (PeerId id = 0; id < peer_count; ++id) peers_.push_back(make_peer(experiment, id, packets_));
  }

  void play() {
    for (const auto& peer : peers_) peer->start();
    for (const auto& peer : peers_) work(*peer);
    for (int messages = 0; messages < 60 && !on_the_way_.empty(); ++messages) {
      const Message message = std::move(on_the_way_.front());
      on_the_way_.pop_front();
      meddle(message);
    }
    for (const auto& peer : peers_) peer->digests();
  }

 private:
  struct Message {
    PeerId to;
    MessageKey key;
    PacketRef packet;
  };

  /// Lets the peer work until it needs a message.
  void work(Peer<float>& peer) {
    while (peer.state() == PeerState::evaluation_due || peer.state() == PeerState::needs_gradient)
      if (peer.state() == PeerState::evaluation_due) {
        peer.evaluation_taken();
      } else {
        peer.compute_gradient();
        peer.gradient_arrived();
      }
    for (Outgoing& sent : peer.outbox()) on_the_way_.push_back({sent.to, sent.key, std::move(sent.packet)});
    peer.outbox().clear();
  }

  void deliver(const Message& message) {
    peers_[message.to]->deliver(message.key, message.packet);
    work(*peers_[message.to]);
  }

  void meddle(Message message) {
    const auto bytes = message.packet->bytes();
    std::vector<std::byte> forged(bytes.begin(), bytes.end());
    switch (input_.take<std::uint8_t>() % 8) {
      case 3:
        for (int edits = input_.take<std::uint8_t>() % 8; edits >= 0 && !forged.empty(); --edits)
          forged[input_.take<std::uint16_t>() % forged.size()] ^=
              static_cast<std::byte>(input_.take<std::uint8_t>());
        message.packet = packet_of(forged);
        break;
      case 4:
        message.packet = packet_of(input_.take_bytes(input_.take<std::uint8_t>()));
        break;
      case 5:
        message.key.iteration += input_.take<std::uint8_t>();
        if (const auto step = input_.take<std::uint8_t>(); step < 254)
          message.key.slot += step;
        else
          message.key.slot = step == 254 ? question_slot : copy_slot;
        break;
      case 6:
        deliver(message);
        break;
      case 7:
        return;
      default:
        break;
    }
    deliver(message);
  }

  PacketRef packet_of(const std::vector<std::byte>& bytes) {
    PacketBuffer buffer = packets_.acquire();
    std::copy(bytes.begin(), bytes.end(), buffer.resize(bytes.size()).begin());
    return std::move(buffer).seal();
  }

  fuzz::Input input_;
  PacketPool packets_;
  std::vector<std::unique_ptr<Peer<float>>> peers_;
  std::deque<Message> on_the_way_;
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  return names;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Circle circle(method_names());
  fuzz::Input input(data, size);
  const std::string& method = circle.choose(input.take<std::uint16_t>());
  const bool links_vary = input.take<std::uint8_t>() % 2 == 1;
  if (const Experiment<float>* const chosen = experiment(method, links_vary)) Scene(*chosen, input).play();
  return 0;
}

#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/checkpoint/peer_image.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/byte_stream.hpp"
#include "runtime/peer/peer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

using Image = std::vector<std::byte>;

/// Overwrites the scratch vectors of a peer with NaN: between two iterations they mean nothing.
template <class Scalar>
void spoil_scratch(Peer<Scalar>& peer) {
  struct Spoiler final : StateVisitor<Scalar> {
    void state(std::string_view, Vector<Scalar>&) override {}
    void published(std::string_view, Vector<Scalar>&) override {}
    void replica(std::string_view, PeerId, Vector<Scalar>&) override {}
    void scratch(std::string_view, Vector<Scalar>& vector) override {
      vector.setConstant(std::numeric_limits<Scalar>::quiet_NaN());
    }
  } spoiler;
  peer.algorithm().visit_state(spoiler);
}

/// Returns peer `id`, restored from an image; nothing if the image does not fit.
template <class Scalar>
std::unique_ptr<Peer<Scalar>> reborn(const Experiment<Scalar>& experiment, PeerId id, PacketPool& packets,
                                     std::uint64_t checkpoint_every, std::span<const std::byte> image,
                                     InboxOnRestore inbox) {
  auto peer = make_peer(experiment, id, packets, {.every = checkpoint_every});
  if (!restore(*peer, image, inbox)) return nullptr;
  spoil_scratch(*peer);
  return peer;
}

/// What one peer has done and received.
struct Life {
  std::map<std::uint64_t, Image> images;       ///< by iteration
  std::map<std::uint64_t, std::size_t> since;  ///< by iteration: how much of `heard` came before the image
  std::vector<LogRecord> heard;                ///< in the order of arrival
  std::vector<Outgoing> sent;
  std::vector<std::uint64_t> evaluated;
};

/// Does what a peer asks for, until it must wait for others. Gradients take no time.
template <class Scalar>
void settle(Peer<Scalar>& peer, Life& life) {
  for (;;) {
    life.sent.insert(life.sent.end(), peer.outbox().begin(), peer.outbox().end());
    peer.outbox().clear();
    switch (peer.state()) {
      case PeerState::needs_gradient:
        peer.compute_gradient();
        peer.gradient_arrived();
        break;
      case PeerState::checkpoint_due:
        life.images[peer.iteration()] = image_of(peer);
        life.since[peer.iteration()] = life.heard.size();
        peer.checkpoint_taken();
        break;
      case PeerState::evaluation_due:
        life.evaluated.push_back(peer.iteration());
        peer.evaluation_taken();
        break;
      default:
        return;
    }
  }
}

template <class Scalar>
void hear(Peer<Scalar>& peer, const LogRecord& heard) {
  if (const auto* data = std::get_if<LoggedData>(&heard))
    peer.deliver(data->key, data->packet);
  else
    peer.verdict(std::get<LoggedVerdict>(heard).evaluated, std::get<LoggedVerdict>(heard).proceed);
}

/// Peers in memory that are saved as they go. Messages and verdicts arrive in a random order, drawn from a
/// seed.
template <class Scalar>
class SavedCluster {
 public:
  SavedCluster(const Experiment<Scalar>& experiment, std::uint64_t checkpoint_every, std::uint64_t order)
      : experiment_(experiment), order_(order, 0, 0, Purpose::network), lives_(experiment.peer_count()) {
    for (PeerId id = 0; id < experiment.peer_count(); ++id)
      peers_.push_back(make_peer(experiment, id, packets_, {.every = checkpoint_every}));
  }

  /// Restores all peers of `earlier` from their images after that iteration.
  SavedCluster(const Experiment<Scalar>& experiment, std::uint64_t checkpoint_every, std::uint64_t order,
               const std::vector<Life>& earlier, std::uint64_t iteration)
      : experiment_(experiment),
        order_(order, 0, 0, Purpose::network),
        lives_(experiment.peer_count()),
        began_after_(iteration) {
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      peers_.push_back(reborn(experiment, id, packets_, checkpoint_every, earlier[id].images.at(iteration),
                              InboxOnRestore::drop));
      ensure(peers_.back() != nullptr, "an image fits the peer it was taken of");
    }
  }

  void run() {
    const std::uint64_t evaluate_every = experiment_.settings.run.evaluate_every;
    // The verdicts on earlier evaluations, unless the peer knows them.
    for (const auto& peer : peers_)
      for (std::uint64_t evaluated = 0; evaluated == 0 || evaluated < began_after_;
           evaluated += evaluate_every)
        if (!peer->last_verdict() || *peer->last_verdict() < evaluated)
          under_way_.push_back({peer->id(), LoggedVerdict{evaluated, true}});
    for (const auto& peer : peers_) {
      peer->start();
      settle_and_send(*peer);
    }
    while (!under_way_.empty()) {
      const UnderWay event = take_one();
      Peer<Scalar>& peer = *peers_[event.to];
      if (peer.state() == PeerState::finished) continue;
      lives_[event.to].heard.push_back(event.what);
      hear(peer, event.what);
      settle_and_send(peer);
      if (diverged()) return;
    }
    for (const auto& peer : peers_)
      ensure(peer->state() == PeerState::finished, "a cluster falls silent only when every peer has ended");
  }

  bool diverged() const {
    return std::ranges::any_of(peers_, [](const auto& peer) { return peer->state() == PeerState::diverged; });
  }

  const std::vector<Life>& lives() const { return lives_; }
  Peer<Scalar>& peer(PeerId id) { return *peers_[id]; }

 private:
  struct UnderWay {
    PeerId to;
    LogRecord what;
  };

  void settle_and_send(Peer<Scalar>& peer) {
    Life& life = lives_[peer.id()];
    const std::size_t sent = life.sent.size();
    const std::size_t evaluated = life.evaluated.size();
    settle(peer, life);
    for (std::size_t k = sent; k < life.sent.size(); ++k)
      under_way_.push_back({life.sent[k].to, LoggedData{life.sent[k].key, life.sent[k].packet}});
    for (std::size_t k = evaluated; k < life.evaluated.size(); ++k)
      if (++evaluations_[life.evaluated[k]] == peers_.size())
        for (const auto& other : peers_)
          under_way_.push_back({other->id(), LoggedVerdict{life.evaluated[k], true}});
  }

  /// Takes out a random event; but the verdicts to one peer keep their order.
  UnderWay take_one() {
    auto chosen = under_way_.begin() + static_cast<std::ptrdiff_t>(order_.below(under_way_.size()));
    if (std::holds_alternative<LoggedVerdict>(chosen->what)) {
      const PeerId to = chosen->to;
      for (auto other = under_way_.begin(); other != under_way_.end(); ++other)
        if (other->to == to && std::holds_alternative<LoggedVerdict>(other->what) &&
            std::get<LoggedVerdict>(other->what).evaluated < std::get<LoggedVerdict>(chosen->what).evaluated)
          chosen = other;
    }
    UnderWay event = std::move(*chosen);
    under_way_.erase(chosen);
    return event;
  }

  const Experiment<Scalar>& experiment_;
  RandomStream order_;
  PacketPool packets_;
  std::vector<std::unique_ptr<Peer<Scalar>>> peers_;
  std::vector<Life> lives_;
  std::uint64_t began_after_ = 0;
  std::vector<UnderWay> under_way_;
  std::map<std::uint64_t, std::size_t> evaluations_;
};

/// Returns an image (peer_image.hpp) without the verdicts and the messages, whose times of arrival vary.
inline Image without_what_came(const Image& image) {
  ByteReader in(image);
  ByteWriter out;
  out.number(in.number<std::uint64_t>());
  in.bytes(9 + 9 + 8);
  out.bytes(in.bytes(sizeof(PeerCounters)));
  const auto told = in.number<std::uint32_t>();
  out.number(told);
  out.bytes(in.bytes(told * std::uint64_t{4 + 8}));
  for (auto messages = in.number<std::uint32_t>(); messages > 0 && !in.failed(); --messages) {
    in.bytes(8 + 4 + 4);
    in.bytes(in.number<std::uint32_t>());
  }
  ensure(!in.failed(), "an image is read as it was written");
  out.bytes(in.bytes(in.left()));
  return std::move(out).take();
}

}  // namespace hearsay::test

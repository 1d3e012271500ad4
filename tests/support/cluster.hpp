#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/peer/peer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

/// The state of a peer at the end of an iteration, and the messages that it sent in the iteration.
template <class Scalar>
struct PeerRecord {
  Vector<Scalar> model;
  std::optional<Vector<Scalar>> published;                  ///< several published vectors are joined
  std::vector<std::pair<PeerId, Vector<Scalar>>> replicas;  ///< (owner, copy)
  std::map<std::string, Vector<Scalar>, std::less<>> states;
  std::vector<Outgoing> sent;
};

/// recording[t][i] is peer i after t iterations.
template <class Scalar>
using Recording = std::vector<std::vector<PeerRecord<Scalar>>>;

/// Initial models, one for each peer, in place of the common one.
template <class Scalar>
using Models = std::vector<Vector<Scalar>>;

/// Runs n peers in memory, without sessions or sockets. All messages and gradients under way arrive in one
/// random order, drawn from a seed: any delay, any overtaking. Records every peer after every iteration.
template <class Scalar>
class BareCluster {
 public:
  BareCluster(const Experiment<Scalar>& experiment, std::uint64_t delivery_seed)
      : iterations_(experiment.iterations), order_(delivery_seed, 0, 0, Purpose::network) {
    ensure(experiment.settings.run.evaluate_every == 1, "a bare cluster sees every iteration");
    const PeerId peers = experiment.peer_count();
    recording_.assign(iterations_ + 1, std::vector<PeerRecord<Scalar>>(peers));
    for (PeerId id = 0; id < peers; ++id) peers_.push_back(make_peer(experiment, id, packets_));
  }

  /// Returns what arrives in place of a message; the message itself by default.
  std::function<PacketRef(const Outgoing&)> tamper = [](const Outgoing& sent) { return sent.packet; };

  /// Called after every event with everything under way. Gradients have no packet.
  std::function<void(const std::vector<Outgoing>&)> watch = [](const std::vector<Outgoing>&) {};

  /// Sets every state that has the size of a model to the model of its peer. Sets published vectors and
  /// replicas to the model of their owner plus `mismatch`.
  void plant(const Models<Scalar>& models, Scalar mismatch = 0) {
    for (PeerId id = 0; id < peers_.size(); ++id) {
      Planter planter;
      planter.models = &models;
      planter.self = id;
      planter.mismatch = mismatch;
      peers_[id]->algorithm().visit_state(planter);
    }
  }

  /// Sets the model of every peer, and no other state.
  void plant_models(const Models<Scalar>& models) {
    for (PeerId id = 0; id < peers_.size(); ++id) {
      ModelPlanter planter;
      planter.model = &models[id];
      peers_[id]->algorithm().visit_state(planter);
    }
  }

  void run() {
    for (const auto& peer : peers_) {
      record(*peer);
      peer->verdict(0, true);
      peer->start();
      settle(*peer);
    }
    while (!under_way_.empty()) {
      std::swap(under_way_[order_.below(under_way_.size())], under_way_.back());
      const Outgoing event = std::move(under_way_.back());
      under_way_.pop_back();
      Peer<Scalar>& peer = *peers_[event.to];
      if (event.packet)
        peer.deliver(event.key, event.packet);
      else
        peer.gradient_arrived();
      settle(peer);
      watch(under_way_);
    }
    for (const auto& peer : peers_)
      ensure(peer->has_ended(), "a cluster falls silent only when every peer has ended");
  }

  const Recording<Scalar>& recording() const { return recording_; }
  Peer<Scalar>& peer(PeerId id) { return *peers_[id]; }

 private:
  struct Planter final : StateVisitor<Scalar> {
    const Models<Scalar>* models;
    PeerId self;
    Scalar mismatch;
    void state(std::string_view, Vector<Scalar>& vector) override {
      if (vector.size() == (*models)[self].size()) vector = (*models)[self];
    }
    void published(std::string_view, Vector<Scalar>& vector) override { plant(vector, self); }
    void replica(std::string_view, PeerId owner, Vector<Scalar>& vector) override { plant(vector, owner); }
    void scratch(std::string_view, Vector<Scalar>&) override {}
    void plant(Vector<Scalar>& vector, PeerId owner) {
      vector = ((*models)[owner].array() + mismatch).matrix();
    }
  };

  struct ModelPlanter final : StateVisitor<Scalar> {
    const Vector<Scalar>* model;
    void state(std::string_view name, Vector<Scalar>& vector) override {
      if (name == "model") vector = *model;
    }
    void published(std::string_view, Vector<Scalar>&) override {}
    void replica(std::string_view, PeerId, Vector<Scalar>&) override {}
    void scratch(std::string_view, Vector<Scalar>&) override {}
  };

  struct Recorder final : StateVisitor<Scalar> {
    PeerRecord<Scalar>* into;
    void state(std::string_view name, Vector<Scalar>& vector) override { into->states.emplace(name, vector); }
    void published(std::string_view, Vector<Scalar>& vector) override {
      into->published = into->published ? joined(*into->published, vector) : vector;
    }
    void replica(std::string_view, PeerId owner, Vector<Scalar>& vector) override {
      for (auto& [known, copy] : into->replicas)
        if (known == owner) {
          copy = joined(copy, vector);
          return;
        }
      into->replicas.emplace_back(owner, vector);
    }
    static Vector<Scalar> joined(const Vector<Scalar>& first, const Vector<Scalar>& second) {
      Vector<Scalar> both(first.size() + second.size());
      both << first, second;
      return both;
    }
    void scratch(std::string_view, Vector<Scalar>&) override {}
  };

  void record(Peer<Scalar>& peer) {
    PeerRecord<Scalar>& place = recording_[peer.iteration()][peer.id()];
    place.model = peer.model();
    Recorder recorder;
    recorder.into = &place;
    peer.algorithm().visit_state(recorder);
  }

  void settle(Peer<Scalar>& peer) {
    for (;;) {
      for (const Outgoing& sent : peer.outbox()) {
        recording_[sent.key.iteration][peer.id()].sent.push_back(sent);
        under_way_.push_back({sent.to, sent.key, tamper(sent)});
      }
      peer.outbox().clear();
      switch (peer.state()) {
        case PeerState::needs_gradient:
          if (awaits_gradient(peer.id())) return;
          peer.compute_gradient();
          under_way_.push_back({peer.id(), {}, {}});
          return;
        case PeerState::evaluation_due:
          record(peer);
          peer.verdict(peer.iteration(), true);
          peer.evaluation_taken();
          break;
        default:
          return;
      }
    }
  }

  /// True if a gradient of the peer is under way; messages may arrive meanwhile.
  bool awaits_gradient(PeerId id) const {
    for (const Outgoing& event : under_way_)
      if (!event.packet && event.to == id) return true;
    return false;
  }

  std::uint64_t iterations_;
  RandomStream order_;
  PacketPool packets_;
  std::vector<std::unique_ptr<Peer<Scalar>>> peers_;
  std::vector<Outgoing> under_way_;
  Recording<Scalar> recording_;
};

/// Returns the recording of a run; `delivery_seed` draws the order of delivery.
template <class Scalar>
Recording<Scalar> record_run(const Experiment<Scalar>& experiment, std::uint64_t delivery_seed = 1) {
  BareCluster<Scalar> cluster(experiment, delivery_seed);
  cluster.run();
  return cluster.recording();
}

template <class Scalar>
Models<Scalar> models_of(const std::vector<PeerRecord<Scalar>>& peers) {
  Models<Scalar> models;
  for (const PeerRecord<Scalar>& peer : peers) models.push_back(peer.model);
  return models;
}

/// Returns the mean of the models, computed in double.
template <class Scalar>
Vector<double> mean_in_double(const std::vector<PeerRecord<Scalar>>& peers) {
  Vector<double> sum = Vector<double>::Zero(peers.front().model.size());
  for (const PeerRecord<Scalar>& peer : peers) sum += peer.model.template cast<double>();
  return sum / static_cast<double>(peers.size());
}

}  // namespace hearsay::test

#include "runtime/zmq/network_survey.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/cluster/address.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/survey/survey_desk.hpp"
#include "runtime/survey/surveyed_peer.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/probed_connections.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr int loads_per_turn = 64;
constexpr Duration note_every = std::chrono::milliseconds(1);

/// Returns the agreement of a survey: that of the run, and the limits.
Agreement agreed_survey(Agreement agreement, const SurveyLimits& limits) {
  agreement.settings.push_back({"--measure", "yes"});
  agreement.settings.push_back({"--time", to_text(2 * limits.time)});
  agreement.settings.push_back({"--bytes", std::to_string(limits.bytes)});
  return agreement;
}

/// All others: any two peers are measured.
Partners everybody_else(PeerId self, PeerId peers) {
  Partners partners;
  for (PeerId peer = 0; peer < peers; ++peer)
    if (peer != self) partners.sources.push_back(peer);
  partners.destinations = partners.sources;
  return partners;
}

std::vector<SurveyStep> steps_between(const NamedTopology& topology, const Placement& place) {
  std::vector<std::string> hosts;
  for (const std::string& address : addresses_of(topology, place).peers)
    hosts.push_back(Address::parse(address).host);
  return survey_steps(hosts);
}

/// Returns bytes that no link makes shorter by compressing them.
std::vector<std::byte> random_bytes(std::size_t count) {
  std::vector<std::byte> bytes(count);
  std::uint64_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

/// What the peers send each other to be measured. The pieces of one length share their bytes.
class Pieces {
 public:
  const SharedBytes& of(std::size_t bytes) {
    if (piece_.size() != bytes) piece_ = SharedBytes(std::span(bytes_).first(bytes));
    return piece_;
  }

 private:
  std::vector<std::byte> bytes_ = random_bytes(LoadSource::longest_piece);
  SharedBytes piece_;
};

class Surveyor {
 public:
  Surveyor(const Prober& self, std::vector<SurveyStep> steps, ProbedConnections& probed, PeerId peers,
           Duration patience, const SurveyLimits& limits, const SurveyControl& control)
      : self_(self.id),
        steps_(steps.size()),
        connections_(probed),
        control_(control),
        connected_by_(monotonic_now() + patience),
        peer_(self.id, steps, limits) {
    if (self.id == observer_peer) desk_.emplace(peers, std::move(steps), connected_by_ + survey_silence);
  }

  SurveyEnd run() {
    while (!is_over(monotonic_now())) {
      control_.on_step(peer_.step(), steps_);
      if (control_.is_interrupted()) peer_.give_up({}, monotonic_now());
      if (!is_connected_) look_at_connections(monotonic_now());
      peer_.tick(monotonic_now());
      tick_desk(monotonic_now());
      say_all();
      connections_.turn(next(), frames_);
      note_delivered(monotonic_now());
    }
    say_all();
    if (!is_connected_ && end_.edges.empty()) end_.edges = connections_.verdicts();
    end_.exit_code = peer_.end()->exit_code;
    end_.reason = peer_.end()->reason;
    end_.garbage = unfit_ + connections_.garbage();
    return std::move(end_);
  }

 private:
  bool is_over(Instant now) const { return peer_.end() && (!desk_ || desk_->has_ended(now)); }

  void look_at_connections(Instant now) {
    if (!connections_.decided() && now < connected_by_) return;
    connections_.confirm();
    std::vector<CheckedEdge> edges = connections_.verdicts();
    const auto broken = std::ranges::count_if(edges, [](const CheckedEdge& edge) { return !edge.works(); });
    is_connected_ = true;
    if (broken == 0) return peer_.get_ready(now);
    peer_.give_up("peer " + std::to_string(self_) + ": " +
                      (broken == 1 ? "1 connection does" : std::to_string(broken) + " connections do") +
                      " not work",
                  monotonic_now());
    end_.edges = std::move(edges);
  }

  void tick_desk(Instant now) {
    if (!desk_) return;
    desk_->tick(now);
    if (!desk_->is_complete()) return;
    try {
      control_.on_links(desk_->links());
      desk_->dismiss(now);
    } catch (const Misuse& misuse) {
      desk_->fail(misuse.what(), survey_failed, now);
    }
  }

  void say_all() {
    for (const SurveyedPeer::Word& word : peer_.take_words()) {
      const auto payload = std::as_bytes(std::span(word.payload));
      if (word.to)
        connections_.say_to_peer(*word.to, word.header);
      else
        connections_.say_to_observer(word.header, payload);
    }
    if (desk_)
      for (const SurveyDesk::Word& word : desk_->take_words())
        connections_.say_as_observer(word.to, word.header, std::as_bytes(std::span(word.payload)));
    send_loads();
  }

  void send_loads() {
    LoadSource& source = peer_.source();
    for (int k = 0; k < loads_per_turn; ++k) {
      const auto piece = source.next();
      if (!piece) return;
      FrameHeader header;
      put(piece->load, header);
      const bool is_taken = piece->bytes == 0
                                ? connections_.say_to_peer(piece->to, header)
                                : connections_.say_to_peer(piece->to, header, pieces_.of(piece->bytes));
      if (!is_taken) break;
      source.sent();
    }
    if (const auto piece = source.next()) connections_.wake_when_free(piece->to);
  }

  void note_delivered(Instant now) {
    const std::optional<PeerId> to = peer_.source().transfers_to();
    if (!to || now < notes_at_) return;
    notes_at_ = now + note_every;
    if (const auto bytes = connections_.delivered_to(*to)) peer_.source().note_delivered(*bytes, now);
  }

  Instant next() const {
    Instant next = std::min(peer_.next(), desk_ ? desk_->next() : Instant::max());
    if (peer_.source().transfers_to()) next = std::min(next, notes_at_);
    return is_connected_ ? next : std::min(next, connected_by_);
  }

  void count(bool fits) { unfit_ += fits ? 0 : 1; }

  PeerId self_;
  std::size_t steps_;
  ProbedConnections& connections_;
  const SurveyControl& control_;
  Instant connected_by_;
  bool is_connected_ = false;  // or known not to be
  SurveyedPeer peer_;
  std::optional<SurveyDesk> desk_;  // at peer 0
  Pieces pieces_;
  Instant notes_at_{};
  SurveyEnd end_;
  std::uint64_t unfit_ = 0;
  OtherFrames frames_{.from_peer =
                          [this](const FrameHeader& header, std::span<const std::byte> payload) {
                            count(peer_.hear_peer(header, payload.size(), monotonic_now()));
                          },
                      .from_observer =
                          [this](const FrameHeader& header, std::span<const std::byte> payload) {
                            count(peer_.hear_observer(header, payload, monotonic_now()));
                          },
                      .to_observer =
                          [this](const FrameHeader& header, std::span<const std::byte> payload) {
                            count(desk_ && desk_->hear(header, payload, monotonic_now()));
                          }};
};

}  // namespace

template <class Scalar>
SurveyEnd survey_network(const Experiment<Scalar>& experiment, PeerId id, const Placement& place,
                         Duration patience, const SurveyLimits& limits, const SurveyControl& control) {
  const SharedCredentials credentials =
      load_credentials(experiment.settings.security, experiment.topology.peers, id, control.notice);
  const Prober self{id, incarnation_of_process(), agreed_survey(agreement_of(experiment), limits)};
  std::vector<SurveyStep> steps = steps_between(experiment.topology, place);
  const std::size_t count = steps.size();
  ProbedConnections connections(self, everybody_else(id, experiment.peer_count()), experiment.topology, place,
                                credentials, experiment.settings.congestion);
  Surveyor surveyor(self, std::move(steps), connections, experiment.peer_count(), patience, limits, control);
  control.on_listening(count);
  return surveyor.run();
}

template SurveyEnd survey_network<float>(const Experiment<float>&, PeerId, const Placement&, Duration,
                                         const SurveyLimits&, const SurveyControl&);
template SurveyEnd survey_network<double>(const Experiment<double>&, PeerId, const Placement&, Duration,
                                          const SurveyLimits&, const SurveyControl&);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/wire/agreement.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

// Tests a connection before a run. The caller asks (FrameKind::probe), the server answers (probed). The first
// question waits for the server to come up; the round trips of the following ones are measured, one at a
// time. A question carries the agreement, so a wrong run file is noticed as in a run. A probe is not a hello,
// so neither side takes the other for a peer that trains. When the caller has all its answers it says so
// (slot 1); then both sides know that the connection works in both directions.
//
//     probe 0 -> probed 0 -> probe 1 -> probed 1 -> ... -> probe, all answers are here

/// The peer that tests its connections.
struct Prober {
  PeerId id;
  std::uint32_t incarnation;
  Agreement agreement;
};

struct ProbeWord {
  FrameHeader header;
  std::vector<std::byte> payload;
};

/// The side that connects. Pure.
class ProbeCaller {
 public:
  /// Number of questions whose round trips are measured.
  static constexpr std::uint64_t measured = 5;
  /// A question without an answer is repeated after this time.
  static constexpr Duration patience = std::chrono::seconds(2);

  ProbeCaller(const Prober& self, PeerId server);

  /// Returns the frame to send now; empty if none is due. Call this again at `next()`.
  std::optional<ProbeWord> tick(Instant now);
  Instant next() const { return next_; }
  void hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now);

  /// True if all questions were answered.
  bool satisfied() const { return number_ > measured; }
  bool answered_once() const { return number_ > 0; }
  /// The measured round trips, in order. Questions that had to be repeated are left out.
  const std::vector<Duration>& round_trips() const { return round_trips_; }
  /// Why the server refuses this peer, or which peer answers in its place; empty if nothing is wrong.
  const std::string& complaint() const { return complaint_; }

 private:
  Prober self_;
  PeerId server_;
  std::vector<std::byte> agreement_;
  std::uint64_t number_ = 0;  // of the current question
  int askings_ = 0;           // how often the current question was asked
  Instant asked_{};
  Instant next_{};
  std::vector<Duration> round_trips_;
  std::string complaint_;
};

/// The side that listens. Pure.
class ProbeServer {
 public:
  ProbeServer(const Prober& self, const std::vector<PeerId>& callers);

  /// Returns the answer, to be sent to where the frame came from; empty if the frame needs no answer.
  std::optional<ProbeWord> hear(const FrameHeader& header, std::span<const std::byte> payload);

  /// What is known of a peer that should call.
  struct Caller {
    bool called = false;
    bool satisfied = false;  ///< the caller has all its answers
    bool trains = false;     ///< the caller says hello, so it is in a run and does not test
    std::string complaint;   ///< why the two peers cannot train together; empty if nothing is known
    bool decided() const { return satisfied || !complaint.empty(); }
  };
  /// `id` is one of the callers.
  const Caller& of(PeerId id) const { return callers_.at(id); }
  /// The callers that are neither satisfied nor have a complaint, ascending.
  std::vector<PeerId> undecided() const;
  /// The complaint of the lowest caller that has one; empty if none has.
  std::string first_complaint() const;

 private:
  Prober self_;
  std::map<PeerId, Caller> callers_;
};

}  // namespace hearsay

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

// Testing a connection before a run. The caller asks (FrameKind::probe), the server answers (probed);
// the first question waits for the server to come up, those that follow are measured, one at a time. A
// question carries the agreement, so a wrong run file is noticed as in a run; it is no hello, so neither
// side takes the other for a peer that trains. When the caller has all its answers it says so,
// and so both know that the connection works both ways.
//
//     probe 0 -> probed 0 -> probe 1 -> probed 1 -> ... -> probe, all answers are here

/// Who tests.
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
  /// Questions that are measured.
  static constexpr std::uint64_t measured = 5;
  /// After this time without an answer a question is repeated.
  static constexpr Duration patience = std::chrono::seconds(2);

  ProbeCaller(const Prober& self, PeerId server);

  /// What to say now; to be called again at `next()`.
  std::optional<ProbeWord> tick(Instant now);
  Instant next() const { return next_; }
  void hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now);

  /// All questions were answered.
  bool satisfied() const { return number_ > measured; }
  bool answered_once() const { return number_ > 0; }
  /// Of answers that came to the first asking, as they came.
  const std::vector<Duration>& round_trips() const { return round_trips_; }
  /// Why the server will have nothing to do with this peer, or who is there in its place; empty where
  /// nothing is wrong.
  const std::string& complaint() const { return complaint_; }

 private:
  Prober self_;
  PeerId server_;
  std::vector<std::byte> agreement_;
  std::uint64_t number_ = 0;  // of the question that is being asked
  int askings_ = 0;           // of that question
  Instant asked_{};
  Instant next_{};
  std::vector<Duration> round_trips_;
  std::string complaint_;
};

/// The side that listens. Pure.
class ProbeServer {
 public:
  ProbeServer(const Prober& self, const std::vector<PeerId>& callers);

  /// The answer, to be sent to where the frame came from; nothing for frames that want none.
  std::optional<ProbeWord> hear(const FrameHeader& header, std::span<const std::byte> payload);

  /// What is known of one that should call.
  struct Caller {
    bool called = false;
    bool satisfied = false;  ///< it has all its answers
    bool trains = false;     ///< it says hello, as in a run
    std::string complaint;   ///< why the two cannot train together
    bool decided() const { return satisfied || !complaint.empty(); }
  };
  /// `id` is one of the callers.
  const Caller& of(PeerId id) const { return callers_.at(id); }
  /// Those without a verdict, ascending.
  std::vector<PeerId> undecided() const;
  /// Of the first one that has one; else empty.
  std::string first_complaint() const;

 private:
  Prober self_;
  std::map<PeerId, Caller> callers_;
};

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <optional>

#include "runtime/wire/frame.hpp"

// What one peer says to another in the headers of control frames (control_word.hpp).

namespace hearsay::to_neighbor {

/// To a destination: asks to exchange messages.
struct Hello {
  static constexpr FrameKind kind = FrameKind::hello;
  std::uint64_t next_number = 0;  ///< number of the next data frame on this link
  bool edge_is_out = false;       ///< policy "drop": the sender has removed the edge; true for slot 1 only
  bool operator==(const Hello&) const = default;
};
void put(const Hello& hello, FrameHeader& header);
Hello as_hello(const FrameHeader& header);

/// To a source: accepts its hello.
struct Welcome {
  static constexpr FrameKind kind = FrameKind::welcome;
  std::uint64_t next_number = 0;  ///< as in the hello that this answers, so it says which one that is
  bool operator==(const Welcome&) const = default;
};
void put(const Welcome& welcome, FrameHeader& header);
Welcome as_welcome(const FrameHeader& header);

/// A heartbeat.
struct Alive {
  static constexpr FrameKind kind = FrameKind::alive;
  /// Number of the next data frame on this link. 0 if the receiver is no destination, and while the sender
  /// restores a checkpoint.
  std::uint64_t next_number = 0;
  bool operator==(const Alive&) const = default;
};
void put(const Alive& alive, FrameHeader& header);
Alive as_alive(const FrameHeader& header);

/// Policy "drop": the sender has removed its edge to the receiver.
struct Parted {
  static constexpr FrameKind kind = FrameKind::parted;
  bool leaves = false;  ///< the sender itself ends, and the run goes on without it; true for slot 1 only
  bool operator==(const Parted&) const = default;
};
void put(const Parted& parted, FrameHeader& header);
Parted as_parted(const FrameHeader& header);

/// To a peer that joins: the sender's model at the end of an iteration.
struct Model {
  static constexpr FrameKind kind = FrameKind::model;
  std::uint64_t iteration = 0;                     ///< the last one that the sender has completed
  std::optional<std::uint64_t> last_verdict = {};  ///< the newest evaluation whose verdict the sender knows
  bool operator==(const Model&) const = default;
};
void put(const Model& model, FrameHeader& header);
Model as_model(const FrameHeader& header);

/// A question of `hearsay check --connect`.
struct Probe {
  static constexpr FrameKind kind = FrameKind::probe;
  std::uint64_t number = 0;           ///< number of the question, from 0
  bool all_answers_are_here = false;  ///< the sender wants no further answer; true for slot 1 only
  bool operator==(const Probe&) const = default;
};
void put(const Probe& probe, FrameHeader& header);
Probe as_probe(const FrameHeader& header);

/// The answer to a probe.
struct Probed {
  static constexpr FrameKind kind = FrameKind::probed;
  std::uint64_t number = 0;  ///< number of the question
  bool refused = false;      ///< true for slot 1 only
  bool operator==(const Probed&) const = default;
};
void put(const Probed& probed, FrameHeader& header);
Probed as_probed(const FrameHeader& header);

}  // namespace hearsay::to_neighbor

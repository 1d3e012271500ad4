#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/own_evaluation.hpp"

namespace hearsay {

// JSON of evaluations, meters and outcomes: for metrics.jsonl and summary.json, and for frames to the
// observer.

nlohmann::ordered_json to_json(const Evaluation& evaluation);
/// Returns a line of consensus.jsonl, with six digits:
///
///     {"iteration", "by":"peer"|"rank", "distances":[..]}
nlohmann::ordered_json distances_to_json(const Evaluation& evaluation);
/// Returns the evaluation that the JSON is; empty if it is none.
std::optional<Evaluation> evaluation_from(const nlohmann::ordered_json& json);
/// Returns the distances in a line of consensus.jsonl; empty if the text is no such line.
std::optional<PeerDistances> parse_distances(std::string_view json);
nlohmann::ordered_json to_json(const PeerMeters& meters);
/// Returns the meters that the text holds; empty if the text holds none.
std::optional<PeerMeters> parse_meters(std::string_view json);
nlohmann::ordered_json to_json(const PeerOutcome& outcome);

/// "done", "target", "plateau", "diverged", "interrupted", "lost"
std::string to_text(RunStatus status);

/// A peer's meters and model after an iteration: the payload of an evaluation frame.
template <class Scalar>
struct Snapshot {
  PeerMeters meters;
  Vector<Scalar> model;
};

/// A peer's meters, and what it says of its model, which stays where it is (run.evaluate = "own").
struct OwnSnapshot {
  PeerMeters meters;
  OwnEvaluation own;
};

/// The most that the meters of a peer, or its outcome, take in a payload, in bytes.
inline constexpr std::size_t meters_limit_bytes = std::size_t{1} << 20;

// Payloads: u32 length of the JSON, the JSON, then (snapshots only) the model's scalars or what is said of
// it; all little-endian. Before scalars the JSON is filled up with blanks, so that they can be read where
// they are. Decoding is total on arbitrary bytes: the result is empty unless the bytes are
// such a payload.
template <class Scalar>
std::vector<std::byte> encode_snapshot(const PeerMeters& meters, const Vector<Scalar>& model);
/// Returns what stands before the scalars in the payload of a snapshot.
std::vector<std::byte> encode_snapshot_head(const PeerMeters& meters);
/// The scalars stay in the payload.
struct SnapshotParts {
  PeerMeters meters;
  std::span<const std::byte> model;
};
std::optional<SnapshotParts> split_snapshot(std::span<const std::byte> payload, std::size_t model_bytes);
template <class Scalar>
std::optional<Snapshot<Scalar>> decode_snapshot(std::span<const std::byte> payload, Index dimension);
std::vector<std::byte> encode_own_snapshot(const PeerMeters& meters, const OwnEvaluation& own);
std::optional<OwnSnapshot> decode_own_snapshot(std::span<const std::byte> payload);
// Meters alone, and outcomes: a payload without a model.
std::vector<std::byte> encode_meters(const PeerMeters& meters);
std::optional<PeerMeters> decode_meters(std::span<const std::byte> bytes);
std::vector<std::byte> encode_outcome(const PeerOutcome& outcome);
std::optional<PeerOutcome> decode_outcome(std::span<const std::byte> payload);

}  // namespace hearsay

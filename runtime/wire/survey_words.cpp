#include "runtime/wire/survey_words.hpp"

#include <algorithm>

namespace hearsay {

namespace {

std::int64_t as_due(Duration time) { return std::clamp<std::int64_t>(time.count(), 0, due_limit_ns - 1); }

}  // namespace

void put(const Measure& measure, FrameHeader& header) {
  header.kind = Measure::kind;
  header.iteration = measure.step;
  header.degree = measure.steps;
  header.slot = measure.from;
}
Measure as_measure(const FrameHeader& header) {
  return {.step = header.iteration, .steps = header.degree, .from = header.slot};
}

void put(const Measured& measured, FrameHeader& header) {
  header.kind = Measured::kind;
  header.iteration = measured.step;
  header.slot = measured.from;
  header.sequence = measured.bytes_per_s;
  header.due_ns = as_due(measured.round_trip);
}
Measured as_measured(const FrameHeader& header) {
  return {.step = header.iteration,
          .from = header.slot,
          .bytes_per_s = header.sequence,
          .round_trip = Duration(header.due_ns)};
}

void put(const Allow& allow, FrameHeader& header) {
  header.kind = Allow::kind;
  header.iteration = allow.step;
  header.sequence = allow.bytes;
  header.degree = allow.piece;
  header.slot = allow.number;
}
Allow as_allow(const FrameHeader& header) {
  return {.step = header.iteration, .bytes = header.sequence, .piece = header.degree, .number = header.slot};
}

void put(const Load& load, FrameHeader& header) {
  header.kind = Load::kind;
  header.iteration = load.step;
  header.sequence = load.position;
  header.slot = load.number;
  header.due_ns = static_cast<std::int64_t>(std::min<std::uint64_t>(load.bytes_per_s, due_limit_ns - 1));
}
Load as_load(const FrameHeader& header) {
  return {.step = header.iteration,
          .position = header.sequence,
          .number = header.slot,
          .bytes_per_s = static_cast<std::uint64_t>(header.due_ns)};
}

}  // namespace hearsay

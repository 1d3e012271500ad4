#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "runtime/record/json.hpp"
#include "runtime/record/summary.hpp"

namespace hearsay {

/// Returns all records of a simulated run as one text, without peak memory.
template <class Scalar>
std::string record_text(const Experiment<Scalar>& experiment, RunOutcome<Scalar> outcome) {
  for (PeerOutcome& peer : outcome.peers) peer.peak_memory_bytes = 0;
  std::string text = json_text(summarize(experiment, outcome, Driver::simulator), 1);
  for (const Evaluation& evaluation : outcome.evaluations) text += "\n" + to_json(evaluation).dump();
  return text;
}

}  // namespace hearsay

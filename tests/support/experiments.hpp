#pragma once

#include <string>

#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/run_settings_file.hpp"

namespace hearsay {

/// Returns the experiment of a run file, given as text.
template <class Scalar>
Experiment<Scalar> experiment_from(const std::string& run_file_text) {
  return prepare<Scalar>(parse_run(run_file_text, ".", {}, "test.toml"));
}

/// Returns a small heterogeneous quadratic with full gradients. Every method runs on it, and its minimiser is
/// known. A method with a hub runs on a star of as many peers, whatever the family.
template <class Scalar>
Experiment<Scalar> quadratic_experiment(const std::string& method, const std::string& family, PeerId peers,
                                        Index dimension) {
  return experiment_from<Scalar>(
      "run.iterations = 20\nrun.evaluate_every = 5\n"
      "model.kind = \"quadratic(" +
      std::to_string(dimension) +
      ")\"\n"
      "topology.kind = \"" +
      (find_method(method).pattern.has_hub ? "star" : family) +
      "\"\n"
      "topology.peers = " +
      std::to_string(peers) +
      "\n"
      "algorithm.kind = \"" +
      method +
      "\"\n"
      "algorithm.batch = \"full\"\n");
}

}  // namespace hearsay

#pragma once

#include <string>
#include <vector>

#include "algorithms/objectives/home.hpp"
#include "algorithms/objectives/problem.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns the problem of model.kind = "program": starts the programs of the peers that are at home here,
/// takes in what they say of themselves, and compares them. The programs end with the problem; one
/// that does not is killed. What is doubtful about them is added to `doubts`, in sentences.
/// Throws Misuse (keys model.program, run.scalar) if a program cannot be used.
template <class Scalar>
Problem<Scalar> program_problem(const RunSettings& settings, const Home& home,
                                std::vector<std::string>& doubts);

}  // namespace hearsay

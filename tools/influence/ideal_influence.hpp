#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/objectives/sample_objective.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

// The influence that the paper calls ideal. With one peer and one sample z_t an iteration, what an iteration
// takes off the loss of z' is due to z_t alone, to every order:
//
//     I(z, z') = sum of l(x_(t-1), z') - l(x_t, z') over the iterations t with z_t = z
//
// so the sum over all z is l(x_0, z') - l(x_T, z').

/// Throws Misuse (option --ideal) unless the run has one peer, which draws one sample an iteration, and keeps
/// the model of every iteration.
void require_ideal(const RunSettings& settings);

/// Returns z_1, ..., z_T of such a run whose peer has `count` samples, as local samples.
std::vector<Index> drawn_samples(const RunSettings& settings, std::uint64_t count, std::uint64_t iterations);

/// Adds what the iteration that drew sample `drawn` took off the mean loss of all test samples (column 0)
/// and off that of each of `rows` to the row of that sample.
/// `before`, `after`: the losses of all test samples.
void add_ideal(Index drawn, std::span<const double> before, std::span<const double> after,
               std::span<const Index> rows, DenseRows<double>& on_tests);

}  // namespace hearsay

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

// What a whole run takes is told from its first iterations: from `first_try` of them, and from `second_try`
// if there is time.
constexpr std::uint64_t first_try = 2;
constexpr std::uint64_t second_try = 12;

/// True if the last iteration of a run may take less time than the others: it computes no gradient ahead, for
/// all or some of its messages to travel meanwhile.
bool ends_otherwise(const MethodInfo& method);

/// Simulates the first `iterations` of a run, or all if it has fewer, evaluated in the middle and at the end.
/// Evaluations are free, all peers are there, and nothing fails. No loss is computed: in its place stands the
/// mean square by which a parameter has moved, so a run that diverges at once is seen. Interrupts them at the
/// instant `give_up`. Leaves the experiment unchanged. `most_samples`: gradients are of so many samples of
/// their minibatch, at most. If the run ends otherwise, peers go on for one more.
template <class Scalar>
RunOutcome<Scalar> simulate_first(Experiment<Scalar>& experiment, std::uint64_t iterations, Duration gradient,
                                  std::chrono::steady_clock::time_point give_up,
                                  std::optional<std::size_t> most_samples = {});

/// True if all peers at once take a modest share of this machine's memory, a sixteenth.
template <class Scalar>
bool may_be_tried(const Experiment<Scalar>& experiment);

/// Returns the samples of a gradient that is timed: as many as a minibatch of the run has, the first ones of
/// the objective, over and over.
template <class Scalar>
std::vector<Index> samples_to_time(const Experiment<Scalar>& experiment, const Objective<Scalar>& objective);

}  // namespace hearsay

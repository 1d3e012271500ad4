#pragma once

/// The header of the library for callers: trains an objective of the caller's own, or a run file's, in
/// virtual time or with real processes.
///
///     const auto settings = parse_run("...");                          // or load_run_file("run.toml", {})
///     const auto experiment = prepare(settings, std::move(problem));   // or prepare<double>(settings)
///     const auto simulated = simulate(experiment, measured_gradient);  // in this process, in virtual time
///     const auto trained = run_local(experiment);                      // one process a peer, over ZeroMQ
///
/// A method of the caller's own derives from Algorithm (algorithms/seam/algorithm.hpp). add_method registers
/// it by its MethodInfo, with options of its own, which become keys of run files, and with checks and
/// defaults.
///
/// A RunControl receives every evaluation as soon as it is made, and notices; it can also interrupt the run.
/// Wrong input throws Misuse.
#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/methods/own_methods.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/objectives/affine_layer.hpp"
#include "algorithms/objectives/cross_entropy.hpp"
#include "algorithms/objectives/objective.hpp"
#include "algorithms/objectives/problem.hpp"
#include "algorithms/objectives/sample_objective.hpp"
#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "algorithms/seam/run_view.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"
#include "topology/foundation/misuse.hpp"

#include <cstdio>

#include "runtime/cluster_run.hpp"
#include "runtime/config.hpp"
#include "runtime/credentials.hpp"
#include "tools/scalar_dispatch.hpp"
#include "tools/training.hpp"

namespace hearsay {

namespace {

/// A peer other than the first: it trains, and leaves the record to peer 0.
template <class Scalar>
int train_silently(const RunSettings& settings, const PeerOptions& options, const ClusterPatience& patience) {
  const Experiment<Scalar> experiment = prepare<Scalar>(settings);
  if (const auto warning = plain_text_warning(settings.security, experiment.cluster))
    std::fprintf(stderr, "hearsay: warning: %s\n", warning->c_str());
  RunControl control;
  control.interrupted = options.interrupted;
  if (earlier_output(options, settings) == EarlierOutput::continued) control.record.emplace();
  if (!options.quiet && options.id < experiment.peer_count())
    std::fprintf(stderr, "hearsay: peer %u of %u, waiting for its neighbors\n", options.id,
                 experiment.peer_count());
  const PeerEnd end = run_cluster_peer(experiment, options.id, patience, control).end;
  if (end.exit_code != 0)
    std::fprintf(stderr, "hearsay: %s\n", end.reason.c_str());
  else if (!options.quiet)
    std::fprintf(stderr, "hearsay: peer %u: the run has ended; peer 0 keeps its record\n", options.id);
  return end.exit_code;
}

}  // namespace

int peer_command(const PeerOptions& options) {
  const ClusterPatience patience{parse_duration("--wait", options.start_patience)};
  const RunSettings settings = load_run_file(options.file, options.assignments);
  if (options.id != 0)
    return with_scalar(settings.run.scalar,
                       [&]<class Scalar>() { return train_silently<Scalar>(settings, options, patience); });
  return report_run(train(settings, {.driver = Driver::zmq,
                                     .earlier = earlier_output(options, settings),
                                     .quiet = options.quiet,
                                     .save = options.save,
                                     .interrupted = options.interrupted,
                                     .as_first_of_cluster = patience,
                                     .title = {}}),
                    options);
}

}  // namespace hearsay

// The ranks of OpenMPI, started by mpirun. Rank 0 prints seconds and a loss (0 if nothing is trained):
//
//     rival_openmpi allreduce FLOATS ITERATIONS     seconds of an MPI_Allreduce
//     rival_openmpi neighbors BYTES ITERATIONS      seconds of an MPI_Neighbor_allgather in a ring
//     rival_openmpi sgd RUN_FILE ITERATIONS         seconds of SGD with MPI_Allreduce, and its last loss

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/zmq/clock.hpp"

using namespace hearsay;

namespace {

/// Returns the seconds of `iterations` calls at the slowest rank. One more call comes first and does not
/// count, since it makes the connections.
template <class Action>
double seconds_of(int iterations, const Action& action) {
  action();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int k = 0; k < iterations; ++k) action();
  const double own = MPI_Wtime() - begin;
  double slowest = 0.0;
  MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

double allreduce(std::size_t floats, int iterations) {
  const std::vector<float> own(floats, 1.0F);
  std::vector<float> sum(floats);
  return seconds_of(iterations,
                    [&] {
                      MPI_Allreduce(own.data(), sum.data(), static_cast<int>(floats), MPI_FLOAT, MPI_SUM,
                                    MPI_COMM_WORLD);
                    }) /
         iterations;
}

double neighbors(int bytes, int iterations, int ranks) {
  const int periodic = 1;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  const std::vector<char> own(static_cast<std::size_t>(bytes), 1);
  std::vector<char> heard(2 * own.size());
  return seconds_of(iterations,
                    [&] {
                      MPI_Neighbor_allgather(own.data(), bytes, MPI_CHAR, heard.data(), bytes, MPI_CHAR,
                                             ring);
                    }) /
         iterations;
}

void sgd(const std::string& run_file, int iterations, int rank, int ranks) {
  const auto experiment = prepare<float>(load_run_file(run_file, {}));
  const Problem<float>& problem = experiment.problem;
  const auto& objective = *problem.objectives[static_cast<std::size_t>(rank)];
  const Duration compute = experiment.settings.network.compute.median;
  const auto step_size = static_cast<float>(experiment.settings.algorithm.step_size);
  const auto samples = static_cast<std::uint64_t>(objective.sample_count());
  const std::uint64_t batch = experiment.settings.algorithm.batch.value_or(samples);
  std::vector<Index> minibatch(static_cast<std::size_t>(batch));
  Vector<float> x = problem.initial, gradient(x.size()), sum(x.size());
  int done = -1;  // the first only makes the connections
  const double seconds = seconds_of(iterations, [&] {
    const Instant begin = monotonic_now();
    if (batch == samples) {
      std::iota(minibatch.begin(), minibatch.end(), Index{0});
    } else {  // those of hearsay: one stream an iteration
      RandomStream draws(experiment.settings.run.seed, static_cast<PeerId>(rank),
                         static_cast<std::uint64_t>(done + 2), Purpose::minibatch);
      for (Index& sample : minibatch) sample = static_cast<Index>(draws.below(samples));
    }
    objective.gradient(x, minibatch, gradient);
    sleep_until(begin + compute);
    MPI_Allreduce(gradient.data(), sum.data(), static_cast<int>(x.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
    if (done++ >= 0) x -= step_size / static_cast<float>(ranks) * sum;
  });
  if (rank == 0) std::printf("%.9f %.6f\n", seconds, problem.loss(x));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) return 2;
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string task = argv[1];
  const int iterations = std::atoi(argv[3]);
  if (task == "sgd") {
    sgd(argv[2], iterations, rank, ranks);
  } else {
    const int amount = std::atoi(argv[2]);
    const double seconds = task == "neighbors" ? neighbors(amount, iterations, ranks)
                                               : allreduce(static_cast<std::size_t>(amount), iterations);
    if (rank == 0) std::printf("%.9f 0\n", seconds);
  }
  MPI_Finalize();
}

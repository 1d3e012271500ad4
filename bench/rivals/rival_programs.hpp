#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/network/kernel_network.hpp"

namespace hearsay {

/// Where the processes of a rival run: each in the namespace of its peer in the kernel's network, or all on
/// loopback if `network` is null.
struct RivalPlace {
  PeerId peers;
  const KernelNetwork* network = nullptr;
};

/// What a rival program has measured.
struct RivalResult {
  double seconds = 0.0;  ///< of one iteration; of all iterations if the rival trains
  double loss = 0.0;     ///< of the trained model; 0 if the rival does not train
};

/// One configuration of OpenMPI: its name, and the parameters for the option --mca of mpirun.
struct OpenMpiWay {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// Returns every algorithm that coll_tuned_allreduce_algorithm offers for eight ranks, each twice: with
/// OpenMPI's own eager limit (64 KiB; before a longer message the sender asks the receiver), and with a limit
/// that makes all messages eager.
std::vector<OpenMpiWay> openmpi_allreduce_ways();

bool has_openmpi();
bool has_gloo();

/// Measures an MPI_Allreduce of `floats` floats, or an MPI_Neighbor_allgather of `bytes` bytes in a ring.
/// Empty if the program failed; the failure is printed to standard output.
std::optional<RivalResult> openmpi_allreduce(const RivalPlace& place, const OpenMpiWay& way,
                                             std::size_t floats, int iterations);
std::optional<RivalResult> openmpi_neighbors(const RivalPlace& place, std::size_t bytes, int iterations);

/// Trains the problem of a run file by SGD with MPI_Allreduce, with the step size and the emulated compute of
/// that file. Empty if the program failed.
std::optional<RivalResult> openmpi_sgd(const RivalPlace& place, const OpenMpiWay& way,
                                       const std::string& run_file, int iterations);

/// Measures an all-reduce by gloo; `algorithm` is "ring" or "bcube". Empty if rank 0 failed.
std::optional<RivalResult> gloo_allreduce(const RivalPlace& place, const std::string& algorithm,
                                          std::size_t floats, int iterations);

}  // namespace hearsay

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/network/kernel_network.hpp"

namespace hearsay {

/// Where the processes of a rival run: each in its peer's namespace of the kernel's network, or all on
/// loopback.
struct RivalPlace {
  PeerId peers;
  const KernelNetwork* network = nullptr;
};

/// What a rival has measured.
struct RivalResult {
  double seconds = 0.0;  ///< of an iteration; of all, where it trains
  double loss = 0.0;     ///< where it trains
};

/// How OpenMPI is to go about it: parameters as mpirun's --mca takes them.
struct OpenMpiWay {
  std::string name;
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// Every algorithm that coll_tuned_allreduce_algorithm knows for eight ranks, each with OpenMPI's own limit
/// of messages that are sent without asking the receiver first (64 KiB), and with one that lets all pass.
std::vector<OpenMpiWay> openmpi_allreduce_ways();

bool has_openmpi();
bool has_gloo();

/// Seconds of an MPI_Allreduce of so many floats, or of an MPI_Neighbor_allgather of so many bytes in a ring.
/// Nothing where it failed, which is said.
std::optional<RivalResult> openmpi_allreduce(const RivalPlace& place, const OpenMpiWay& way,
                                             std::size_t floats, int iterations);
std::optional<RivalResult> openmpi_neighbors(const RivalPlace& place, std::size_t bytes, int iterations);

/// SGD with MPI_Allreduce on a run file's own problem, with its step size and its emulated compute.
std::optional<RivalResult> openmpi_sgd(const RivalPlace& place, const OpenMpiWay& way,
                                       const std::string& run_file, int iterations);

/// `algorithm` is "ring" or "bcube".
std::optional<RivalResult> gloo_allreduce(const RivalPlace& place, const std::string& algorithm,
                                          std::size_t floats, int iterations);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/record/line_checksum.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// A line of models/index.jsonl: where the models of an iteration are.
struct KeptIteration {
  std::uint64_t iteration = 0;
  double step_size = 0.0;  ///< of the next iteration, eta_(t+1)
  std::string of;          ///< "mean", "hub" or "peers"
  /// In models/: one, or one a peer, by id; empty for a peer that was gone.
  std::vector<std::optional<std::string>> files;
};

/// The folder in a run's output directory for what run.keep_models keeps, and the index in it.
inline constexpr const char* models_folder = "models";
inline constexpr const char* models_index = "models/index.jsonl";

/// Writes the models into `output`/models, and a line of the index after them. Throws Misuse if the disk is
/// full, say; the index then has no line of them. `checksum` is that of the index, and grows with it.
template <class Scalar>
void keep_models(const std::filesystem::path& output, const RunSettings& settings, const ModelSet& models,
                 LineChecksum& checksum);

/// Removes the lines of the index from iteration `first` on; does nothing if there is no index. Returns the
/// checksum of those that are left.
LineChecksum forget_models_from(const std::filesystem::path& output, std::uint64_t first);

/// Returns the index of the output directory `output`, by iteration. Throws Misuse if the run has kept no
/// models, or if the index was changed after it was written, or lacks lines at its end.
std::vector<KeptIteration> kept_models(const std::filesystem::path& output);

/// How many iterations of a run the models are kept of, x_0 among them.
std::uint64_t kept_iterations(const RunSettings::Run::KeepModels& keep, std::uint64_t iterations);

}  // namespace hearsay

#include "runtime/record/kept_models.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "algorithms/methods/registry.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/summary.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path index_of(const fs::path& output) { return output / models_folder / "index.jsonl"; }

std::optional<KeptIteration> parse_line(const std::string& line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    KeptIteration kept{json.at("iteration"), json.at("step_size"), json.at("of"), {}};
    for (const Json& file : json.at("files"))
      kept.files.push_back(file.is_null() ? std::nullopt : std::optional(file.get<std::string>()));
    return kept;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// Returns the lines up to one that was cut off.
std::vector<KeptIteration> read_index(const fs::path& output) {
  std::vector<KeptIteration> index;
  std::ifstream lines(index_of(output), std::ios::binary);
  for (std::string line; std::getline(lines, line);) {
    auto kept = parse_line(line);
    if (!kept) break;
    index.push_back(std::move(*kept));
  }
  return index;
}

std::string to_line(const KeptIteration& kept) {
  Json files = Json::array();
  for (const auto& file : kept.files) files.push_back(file ? Json(*file) : Json(nullptr));
  return json_text(Json{{"iteration", kept.iteration},
                        {"step_size", kept.step_size},
                        {"of", kept.of},
                        {"files", std::move(files)}}) +
         "\n";
}

}  // namespace

template <class Scalar>
void keep_models(const fs::path& output, const RunSettings& settings, const ModelSet& models) {
  const fs::path folder = output / models_folder;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Misuse(folder.string() + " cannot be made (" + error.message() + ")");
  const RunSettings::Algorithm& algorithm = settings.algorithm;
  const StepSize step_size(algorithm.step_size, algorithm.step_schedule, algorithm.warm_up);
  const bool of_peers = settings.run.keep_models.of_peers;
  const bool of_hub = find_method(algorithm.kind).pattern.has_hub;
  KeptIteration kept{models.iteration,
                     step_size.at(models.iteration + 1),
                     of_peers ? "peers"
                     : of_hub ? "hub"
                              : "mean",
                     {}};
  for (std::size_t id = 0; id < models.models.size(); ++id) {
    const std::vector<std::byte>& bytes = models.models[id];
    kept.files.emplace_back();
    if (bytes.empty()) continue;
    kept.files.back() = "model-" + std::to_string(models.iteration) +
                        (of_peers ? "-peer-" + std::to_string(id) : "") + ".npy";
    Vector<Scalar> model(static_cast<Index>(bytes.size() / sizeof(Scalar)));
    std::ranges::copy(bytes, std::as_writable_bytes(view(model)).begin());
    write_npy<Scalar>(folder / *kept.files.back(), model);
  }
  std::ofstream index(index_of(output), std::ios::binary | std::ios::app);
  index << to_line(kept) << std::flush;
  if (!index) throw Misuse(index_of(output).string() + " cannot be written");
}

void forget_models_from(const fs::path& output, std::uint64_t first) {
  std::error_code ignored;
  if (!fs::exists(index_of(output), ignored)) return;
  std::string before;
  for (const KeptIteration& kept : read_index(output))
    if (kept.iteration < first) before += to_line(kept);
  write_file(index_of(output), {before});
}

std::vector<KeptIteration> kept_models(const fs::path& output) {
  std::vector<KeptIteration> index = read_index(output);
  if (index.empty())
    throw Misuse(output.string() +
                 " holds no models of earlier iterations; expected the output of a run with run.keep_models "
                 "= \"every 10\", say");
  return index;
}

std::uint64_t kept_iterations(const RunSettings::Run::KeepModels& keep, std::uint64_t iterations) {
  return keep.every == 0 ? 0 : iterations / keep.every + 1;
}

template void keep_models<float>(const fs::path&, const RunSettings&, const ModelSet&);
template void keep_models<double>(const fs::path&, const RunSettings&, const ModelSet&);

}  // namespace hearsay

#include "runtime/record/kept_models.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "algorithms/methods/registry.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/foundation/line_file.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/record_lines.hpp"
#include "runtime/record/summary.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path index_of(const fs::path& output) { return output / models_index; }

std::optional<KeptIteration> kept_iteration_from(const Json& json) {
  try {
    KeptIteration kept{json.at("iteration"), json.at("step_size"), json.at("of"), {}};
    for (const Json& file : json.at("files"))
      kept.files.push_back(file.is_null() ? std::nullopt : std::optional(file.get<std::string>()));
    return kept;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// Returns the iterations of the lines up to one that was cut off.
std::vector<KeptIteration> iterations_in(const RecordLines& lines) {
  std::vector<KeptIteration> index;
  for (const Json& object : lines.objects) {
    auto kept = kept_iteration_from(object);
    if (!kept) break;
    index.push_back(std::move(*kept));
  }
  return index;
}

std::string index_text(const KeptIteration& kept) {
  Json files = Json::array();
  for (const auto& file : kept.files) files.push_back(file ? Json(*file) : Json(nullptr));
  return json_text(Json{{"iteration", kept.iteration},
                        {"step_size", kept.step_size},
                        {"of", kept.of},
                        {"files", std::move(files)}});
}

}  // namespace

template <class Scalar>
void keep_models(const fs::path& output, const RunSettings& settings, const ModelSet& models,
                 LineChecksum& checksum) {
  const fs::path folder = output / models_folder;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw HostRefusal(folder.string() + " cannot be made (" + error.message() + ")");
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
  LineChecksum after = checksum;
  LineFile index(index_of(output), false);
  index.append(after.line(index_text(kept)));
  if (index.defect()) throw HostRefusal(*index.defect());
  checksum = after;
}

LineChecksum forget_models_from(const fs::path& output, std::uint64_t first) {
  std::error_code ignored;
  LineChecksum checksum;
  if (!fs::exists(index_of(output), ignored)) return checksum;
  std::string before;
  for (const KeptIteration& kept : iterations_in(read_record_lines(index_of(output))))
    if (kept.iteration < first) before += checksum.line(index_text(kept)) + "\n";
  write_file(index_of(output), {before});
  return checksum;
}

std::vector<KeptIteration> kept_models(const fs::path& output) {
  const Json summary = summary_in(output);  // first: a run that goes on appends lines
  const RecordLines lines = read_record_lines(index_of(output));
  require_last_line(output, models_index, summary, lines.checksum, lines.objects.size());
  std::vector<KeptIteration> index = iterations_in(lines);
  if (index.empty())
    throw Misuse(output.string() +
                 " holds no models of earlier iterations; expected the output of a run with run.keep_models "
                 "= \"every 10\", say");
  return index;
}

std::uint64_t kept_iterations(const RunSettings::Run::KeepModels& keep, std::uint64_t iterations) {
  return keep.every == 0 ? 0 : iterations / keep.every + 1;
}

template void keep_models<float>(const fs::path&, const RunSettings&, const ModelSet&, LineChecksum&);
template void keep_models<double>(const fs::path&, const RunSettings&, const ModelSet&, LineChecksum&);

}  // namespace hearsay

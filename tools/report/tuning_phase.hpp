#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace hearsay {

/// Returns what a page says of the tuning of a sweep, from its sweep.json, `record`, and from that of its
/// candidates, `folder`/tuning/sweep.json. Null if nothing was tuned.
///
///     {"grid":[{"key", "values":[..], "edges":[is it the least or the greatest of its grid,..]},..],
///      "seeds":[..], "axes":[key,..],
///      "places":[{"variant", "at":[value,..per axis], "chosen":[value,..per key of the grid] or null,
///                 "candidates":[{"values":[..per key], "tried", "ended", "loss", "reached",
///                                "seconds"},..]},..]}
///
/// A candidate was tried with so many seeds; `ended` of them came to their end, with the mean `loss`, and
/// `reached` the target loss, in the mean `seconds`. Without the record of the candidates, there are no seeds
/// and no candidates.
nlohmann::ordered_json tuning_phase(const nlohmann::ordered_json& record,
                                    const std::filesystem::path& folder);

}  // namespace hearsay

#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace hearsay {

/// The evaluations of a run as metrics.jsonl has them, a JSON object each. In a diverged run numbers may be
/// null.
using Course = std::vector<nlohmann::ordered_json>;

/// A line per evaluation; a last line that is only half there (the run goes on, or was cut off) is none.
/// Empty where there is no such file.
Course read_course(const std::filesystem::path& metrics_file);

/// At most 600 of the evaluations, evenly over the course, the first and the last among them: a screen shows
/// no more.
Course thinned(const Course& course);

/// What a page draws of a course, apart from its time: what a synchronous method learns is the same on every
/// network. Columns of equal length: {"iteration":[..],"epoch":[..],"megabytes":[..] of a
/// peer,"loss":[..],"accuracy":[..],"consensus_distance":[..]}. A column of which nothing is known is null;
/// so are the megabytes without `peers`.
nlohmann::ordered_json learned_columns(const Course& course, std::optional<double> peers);

/// When the evaluations were.
nlohmann::ordered_json seconds_column(const Course& course);

/// The number to seven digits, which is finer than a pixel and shorter in JSON; null for what is none, and
/// for what is not finite.
nlohmann::ordered_json short_number(const nlohmann::ordered_json& value);

}  // namespace hearsay

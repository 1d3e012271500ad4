#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hearsay {

/// The evaluations of a run as in metrics.jsonl, one JSON object each. Numbers of a diverged run may be null.
using Course = std::vector<nlohmann::ordered_json>;

/// What metrics.jsonl holds.
struct MetricsFile {
  Course course;
  std::string defect;  ///< a sentence about lines that are no evaluation, and are left out; empty without any
  std::optional<std::string> checksum;  ///< of all lines; empty if they have none
};

/// Reads metrics.jsonl, one evaluation per line. An incomplete last line (of a run that goes on or was cut
/// off) is no defect. Empty if there is no such file. Throws DamagedRecord if a line was changed after it was
/// written.
MetricsFile read_metrics(const std::filesystem::path& file);

inline constexpr std::size_t most_evaluations_shown = 600;

/// Returns at most 600 evaluations, the first and the last among them; a screen shows no more. Of a longer
/// course every second, fourth, eighth,.. from iteration 0: so repetitions of a run that end at different
/// iterations keep the same ones, apart from their last.
Course thinned(const Course& course);

/// Returns at most `most` evaluations, evenly spaced, with the first and the last among them.
Course evenly(const Course& course, std::size_t most);

/// Returns what a page draws of a run except its times, as columns of equal length:
///
///     {"iteration":[..],"epoch":[..],"megabytes":[..] of a peer,"loss":[..],"accuracy":[..],
///      "loss_worst":[..],"loss_spread":[..],"consensus_distance":[..]}
///
/// Losses have all digits of the record, since a page draws how far they are above another, which can be a
/// billionth of them. All other numbers are short.
///
/// Times are left out because a synchronous method learns the same on every network. A column without any
/// number is null; so are the megabytes without `peers`.
nlohmann::ordered_json learned_columns(const Course& course, std::optional<double> peers);

/// Returns the times of the evaluations, in seconds.
nlohmann::ordered_json seconds_column(const Course& course);

/// Returns the number with seven digits, which is finer than a pixel and short in JSON. Null if `value` is no
/// finite number.
nlohmann::ordered_json short_number(const nlohmann::ordered_json& value);

}  // namespace hearsay

#include "tools/report/course.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>

#include "runtime/record/record_lines.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

Json member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? Json(nullptr) : *found;
}

Json whole_number(const Json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) ? value : Json(nullptr);
}

/// `number_of(value)` is what the page gets of a value.
template <typename NumberOf>
Json column(const Course& course, const char* key, const NumberOf& number_of) {
  Json values = Json::array();
  bool known = false;
  for (const Json& evaluation : course) {
    values.push_back(number_of(member(evaluation, key)));
    known = known || !values.back().is_null();
  }
  return known ? values : Json(nullptr);
}

Json column(const Course& course, const char* key) { return column(course, key, short_number); }

}  // namespace

Json short_number(const Json& value) {
  if (value.is_number_integer()) return value;
  if (!value.is_number() || !std::isfinite(value.get<double>())) return nullptr;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.7g", value.get<double>());
  return std::strtod(text.data(), nullptr);
}

MetricsFile read_metrics(const std::filesystem::path& file) {
  MetricsFile metrics;
  if (!std::ifstream(file))
    metrics.defect = file.filename().string() + ": it cannot be read (" + std::strerror(errno) + ")";
  RecordLines lines = read_record_lines(file);
  metrics.checksum = lines.checksum;
  for (Json& evaluation : lines.objects)
    if (member(evaluation, "iteration").is_number()) metrics.course.push_back(std::move(evaluation));
  if (const std::size_t defects = lines.unreadable.size(); defects > 0)
    metrics.defect = file.filename().string() + ", line " + std::to_string(lines.unreadable.front()) +
                     ": no evaluation, left out" +
                     (defects > 1 ? " (and " + std::to_string(defects - 1) + " more)" : "");
  return metrics;
}

Course thinned(const Course& course) {
  if (course.size() <= most_evaluations_shown) return course;
  const auto iteration = [&](std::size_t k) {
    const Json& number = course[k]["iteration"];
    return number.is_number_integer() ? number.get<std::uint64_t>() : 0;
  };
  const std::size_t last = course.size() - 1;  // wherever the run ended
  std::uint64_t interval = 0;
  for (std::size_t k = 1; k < last; ++k) interval = std::gcd(interval, iteration(k) - iteration(k - 1));
  for (std::uint64_t stride = 2; interval > 0 && stride > 0; stride *= 2) {
    Course kept;
    for (std::size_t k = 0; k <= last && kept.size() <= most_evaluations_shown; ++k)
      if (k == 0 || k == last || iteration(k) / interval % stride == 0) kept.push_back(course[k]);
    if (kept.size() <= most_evaluations_shown) return kept;
  }
  return evenly(course, most_evaluations_shown);  // its iterations are those of no run
}

Course evenly(const Course& course, std::size_t most) {
  if (course.size() <= most) return course;
  Course kept;
  const std::size_t intervals = most - 1;
  for (std::size_t k = 0; k <= intervals; ++k) kept.push_back(course[k * (course.size() - 1) / intervals]);
  return kept;
}

Json learned_columns(const Course& course, std::optional<double> peers) {
  const auto megabytes_of = [&](const Json& bytes) {
    return bytes.is_number() ? short_number(bytes.get<double>() / (*peers * 1e6)) : Json(nullptr);
  };
  return {{"iteration", column(course, "iteration")},
          {"epoch", column(course, "epoch")},
          {"megabytes", peers ? column(course, "bytes_sent", megabytes_of) : Json(nullptr)},
          {"loss", column(course, "loss", whole_number)},
          {"accuracy", column(course, "accuracy")},
          {"loss_worst", column(course, "loss_worst")},
          {"loss_spread", column(course, "loss_spread")},
          {"consensus_distance", column(course, "consensus_distance")}};
}

Json seconds_column(const Course& course) { return column(course, "seconds"); }

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/report/course.hpp"

namespace hearsay {

/// The evaluations of a run that goes on, at most 600 of them, however long it becomes: those that `thinned`
/// would keep of all. A copy shares them, so it takes microseconds.
class LiveCourse {
 public:
  /// The run is evaluated every `interval` iterations, and at its last.
  explicit LiveCourse(std::uint64_t interval = 1) : interval_(interval) {}

  /// Appends an evaluation, in place of those at its iteration and later ones: a resumed run repeats some.
  void append(nlohmann::ordered_json evaluation);
  bool empty() const { return kept_.empty(); }
  /// Returns the iteration of the last evaluation; there must be one.
  std::uint64_t last_iteration() const { return iteration_of(*kept_.back()); }
  Course evaluations() const;

 private:
  static std::uint64_t iteration_of(const nlohmann::ordered_json& evaluation);
  bool is_kept(const nlohmann::ordered_json& evaluation) const;

  std::uint64_t interval_;
  std::uint64_t stride_ = 1;  ///< how many intervals are between two that are kept
  std::vector<std::shared_ptr<const nlohmann::ordered_json>> kept_;  ///< and the last, wherever it is
};

}  // namespace hearsay

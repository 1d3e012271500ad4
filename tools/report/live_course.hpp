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
  /// Appends an evaluation, in place of those at its iteration and later ones: a resumed run repeats some.
  void append(nlohmann::ordered_json evaluation);
  bool empty() const { return kept_.empty(); }
  /// Returns the iteration of the last evaluation; there must be one.
  std::uint64_t last_iteration() const { return kept_.back().iteration; }
  Course evaluations() const;

 private:
  struct Kept {
    std::uint64_t number;  ///< which evaluation of the run it is
    std::uint64_t iteration;
    std::shared_ptr<const nlohmann::ordered_json> evaluation;
  };
  bool stays(const Kept& kept) const { return kept.number % stride_ == 0; }

  std::uint64_t stride_ = 1;  ///< every so many evaluations one is kept
  std::vector<Kept> kept_;    ///< and the last, whichever it is
};

}  // namespace hearsay

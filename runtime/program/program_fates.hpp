#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hearsay {

/// How the programs of a run fare, in memory that the process which has started them shares with those that
/// are forked from it: such a one may start a program anew, and alone knows then how it ends.
class ProgramFates {
 public:
  explicit ProgramFates(std::size_t programs);

  /// Call before program k is started anew. `elsewhere`: not by the process that has started it first.
  /// `iteration`: of the last gradient that it was asked for.
  void note_restart(std::size_t k, bool elsewhere, std::uint64_t iteration);
  /// The iterations in which program k was started anew, each as often. If they are more than 64, the others
  /// count as the last one.
  std::vector<std::uint64_t> restarts(std::size_t k) const;

  /// Notes how a program that was started anew elsewhere has ended: a clause, or nothing if it ended well.
  void note_end(std::size_t k, const std::string& failure);
  bool ends_elsewhere(std::size_t k) const { return fates_[k].elsewhere; }
  /// The clause of the last `note_end`. If there was none, the process that had to say it was killed, and the
  /// program with it.
  std::string failure_elsewhere(std::size_t k) const { return fates_[k].failure.data(); }

 private:
  struct Fate {
    std::atomic<std::uint64_t> restarts{0};
    std::array<std::atomic<std::uint64_t>, 64> iterations{};  // of the restarts
    std::atomic<bool> elsewhere{false};
    std::array<char, 256> failure{};
  };

  std::shared_ptr<std::byte> memory_;
  std::span<Fate> fates_;
};

}  // namespace hearsay

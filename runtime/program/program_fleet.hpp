#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/program/prefixed_lines.hpp"
#include "runtime/program/program.hpp"

namespace hearsay {

/// The programs that this process has started. Its destructor ends them; in a forked process it does nothing.
class ProgramFleet {
 public:
  /// Starts a program for each plan, at most as many at a time as the machine has cores, and meets them.
  /// Throws Misuse if one cannot be used.
  struct Plan {
    ProgramCommand command;
    ProgramFacts facts;
  };
  ProgramFleet(std::vector<Plan> plans, const ProgramCare& care, Index largest_dimension);
  /// Meets the program that somebody else has started.
  ProgramFleet(FileDescriptor channel, const ProgramFacts& facts, const ProgramCare& care,
               Index largest_dimension);
  ~ProgramFleet();
  ProgramFleet(const ProgramFleet&) = delete;
  ProgramFleet& operator=(const ProgramFleet&) = delete;

  const std::vector<std::shared_ptr<Program>>& programs() const { return programs_; }
  /// Tells all programs how the run has ended. Only the first call counts. In a forked process: tells those
  /// that it has started anew, and waits for their end; they die with it. In the owner, after a good end
  /// (code 0): waits for all, and throws ProgramFailure, in a sentence, if one fails afterwards, or takes too
  /// long.
  void say_end(int code, const std::string& reason, const std::string& output);
  /// How often a killed program was started anew, by this process or by one that was forked from it.
  std::uint64_t restarts() const { return *restarts_; }
  /// Tells all programs that they cannot take part.
  void refuse(const std::string& why);

 private:
  /// The same care, which counts as well.
  ProgramCare counting(ProgramCare care) const;
  void end_all();
  void await_good_ends(const std::vector<Program*>& told);
  void signal_all(int number);
  /// Waits until all have ended, for about `left_ms` at most. True if all have.
  bool have_ended(int left_ms);

  pid_t owner_;
  std::unique_ptr<PrefixedLines> lines_;
  std::vector<std::shared_ptr<Program>> programs_;
  std::shared_ptr<std::atomic<std::uint64_t>> restarts_;  // in memory that forked processes share
  bool told_ = false;
  int patience_ms_ = 0;  // with programs that were told of the end
};

}  // namespace hearsay

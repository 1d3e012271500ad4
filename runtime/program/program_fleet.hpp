#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "runtime/program/prefixed_lines.hpp"
#include "runtime/program/program.hpp"
#include "runtime/program/program_fates.hpp"
#include "topology/foundation/misuse.hpp"

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
  /// (code 0): waits for all, and throws ProgramFailure, in a sentence, if one has not ended well, whenever
  /// that was and whoever has started it, or takes too long; unless its peer was `dropped`.
  void say_end(const ProgramEnd& end, std::span<const PeerId> dropped);
  /// When killed programs were started anew, by this process or by one that was forked from it.
  std::vector<ProgramRestart> restarts() const;
  /// Tells all programs that they cannot take part: with code 3 if one of them was silent, else with 2.
  void refuse(const Misuse& why);

 private:
  /// The same care, which notes every restart of program k as well.
  ProgramCare counting(ProgramCare care, std::size_t k);
  bool is_forked() const { return getpid() != owner_; }
  void end_all();
  void note_ends_of_own();
  void await_good_ends(std::span<const PeerId> dropped);
  /// Returns what is wrong with the end of a program that this process has started, in a clause; "" if
  /// nothing is.
  std::string failure_now(ProgramProcess& process);
  void signal_all(int number);
  /// Waits until all have ended, for about `left_ms` at most. True if all have.
  bool have_ended(int left_ms);

  pid_t owner_;
  std::unique_ptr<PrefixedLines> lines_;
  std::vector<std::shared_ptr<Program>> programs_;
  ProgramFates fates_;
  bool told_ = false;
  int patience_ms_ = 0;  // with programs that were told of the end
  KilledPatience with_killed_;
};

}  // namespace hearsay

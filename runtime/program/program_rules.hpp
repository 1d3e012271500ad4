#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/program/protocol.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// What is decided about the programs of peers: when one that has ended is started anew, which answer counts,
// how long one is waited for at the end of the run, and which end is a failure of the run. Pure: program.hpp
// and program_fleet.hpp start, ask and wait.

/// How often a program may end at one question, or before the first one, until it is given up.
inline constexpr int most_ends_at_one_question = 3;

/// How a program has ended that was asked, as far as this process can know.
struct EndAtQuestion {
  bool can_be_started = false;  ///< hearsay has started it, and has its command
  bool by_itself = false;       ///< it was not killed
  std::string how = {};         ///< ", with exit code 1"; empty if it is not known
};
/// Returns why a program that has ended, for the `ends`th time at this question, is not started anew, in a
/// clause; empty if it is.
std::optional<std::string> why_given_up(const EndAtQuestion& end, int ends);

/// Looks for the answer to a question among those that come: earlier ones may be to a process that was
/// killed, and answer nobody any more.
class AwaitedAnswer {
 public:
  explicit AwaitedAnswer(std::uint64_t question) : question_(question) {}
  /// True if this is it. Throws ProgramFailure if the program has failed or leaves, and StopAsked if it wants
  /// the run to end.
  bool is(const ProgramAnswer& answer);
  /// No more answers come. Throws ProgramFailure if the program has failed at an earlier question.
  void give_up() const;

 private:
  std::uint64_t question_;
  std::string earlier_failure_;
};

/// Returns how long programs that were told the end of the run may take to end. `code`: hearsay's exit code.
int patience_with_ends_ms(int code);

/// How a program has ended that was told the end of the run.
struct EndOfRun {
  bool has_ended = false;  ///< false: it goes on after so long
  bool badly = false;      ///< not with exit code 0
  std::string how = {};    ///< "with exit code 1"
};
/// Returns what is wrong with that end, in a clause; "" if nothing is.
std::string failure_of(const EndOfRun& end, int patience_ms);

/// A program at the end of the run. `failure`: a clause, or "".
struct EndedProgram {
  PeerId peer = 0;
  std::string name;
  std::string failure;
};
/// Returns the failures of all programs in a sentence, but for those whose peers were dropped; "" if there
/// are none.
std::string failures_of(std::span<const EndedProgram> programs, std::span<const PeerId> dropped);

}  // namespace hearsay

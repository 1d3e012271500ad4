#pragma once

#include <unistd.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "runtime/foundation/notice.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/program/hello.hpp"
#include "runtime/program/program_channel.hpp"
#include "runtime/program/program_failure.hpp"
#include "runtime/program/program_process.hpp"
#include "runtime/program/protocol.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

/// How the run of a program has ended (end_text).
struct ProgramEnd {
  int code = 0;
  std::string reason;
  std::string output;
};

/// How a peer deals with its program.
struct ProgramCare {
  Duration answer_within;  ///< model.answer_within
  /// Hears, in a sentence, of every start after the first; and in which iteration, 0 before the first one.
  std::function<void(const std::string& sentence, std::uint64_t iteration)> on_restart =
      [](const std::string&, std::uint64_t) {};
  Notice on_stop = no_notice;  ///< hears, in a sentence, if it asks the run to end
  /// The same of an answer that takes longer than 10 s, 20 s, 40 s, ..., and of what a program says before it
  /// is asked, if that takes longer than `wait_at_start`, twice that, four times that, ...
  Notice on_wait = no_notice;
  Duration wait_at_start = std::chrono::seconds(3);
};

/// The program of one peer, from its start to its end. Processes that are forked after its start share it:
/// one of them at a time may ask. A program that was killed is started anew, and asked again.
class Program {
 public:
  /// Starts the program. Call `come_up` next. Throws Misuse if it cannot be started.
  Program(ProgramCommand command, ProgramFacts facts, ProgramCare care, Index largest_dimension);
  /// The same for a program that somebody else has started, with this socket to it.
  Program(FileDescriptor channel, ProgramFacts facts, ProgramCare care, Index largest_dimension);

  /// Takes the program's hello, makes the shared memory, and waits until x_0 is there. A program that is
  /// killed meanwhile is started anew, twice at most. Throws Misuse if a wrong hello comes, or no x_0, and
  /// SilentStart if either takes longer than model.answer_within. Those of the programs `beside` it that are
  /// silent, too, are named with it.
  void come_up(std::span<const std::shared_ptr<Program>> beside) { come_up(&ProgramProcess::start, beside); }
  const ProgramHello& hello() const { return *hello_; }
  /// False if it has said nothing yet, and has not ended.
  bool has_spoken() const { return hello_ || channel_.has_word(); }

  /// What its objective depends on beside x and its data, as far as it has said so.
  const std::vector<FixedPart>& fixed() const { return fixed_; }
  std::span<std::byte> x() const { return memory_->part(memory_->layout().x, model_bytes()); }
  std::span<const std::byte> gradient() const {
    return memory_->part(memory_->layout().gradient, model_bytes());
  }
  /// The room for sample numbers, 64 bits each.
  std::span<std::byte> samples() const;

  /// Held from a question until what its answer left in the memory has been copied.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  /// Asks, and returns the answer. `prepare` writes what the question is on to the memory; it is called again
  /// if the program was killed and started anew. Throws ProgramFailure, or StopAsked if
  /// the program wants the run to end. A program that ended by itself, which it may do between two questions,
  /// is not started anew, nor is one that has failed; whoever asks it again gets the same ProgramFailure.
  ProgramAnswer ask(const ProgramQuestion& question, const std::function<void()>& prepare);

  /// Tells the program that it cannot take part, or how its run has ended (end_text). It ends then, if it
  /// keeps to the protocol.
  void refuse(const std::string& why) const;
  void say_end(const ProgramEnd& end) const;
  PeerId peer() const { return facts_.peer; }
  /// "the program of peer 3"
  std::string name() const;
  /// Null: another process has started it, this process's parent perhaps.
  ProgramProcess* process() { return process_ && starter_ == getpid() ? &*process_ : nullptr; }

 private:
  using Start = ProgramProcess::Started (*)(const ProgramCommand&);
  /// What it says before it is asked: by name, and in full.
  struct FirstWord {
    std::string name;
    std::string spelled_out;
  };

  ProgramAnswer insist(ProgramQuestion question, const std::function<void()>& prepare);
  void come_up(Start start, std::span<const std::shared_ptr<Program>> beside);
  void start_process(Start start);
  ProgramHello hear_hello(std::span<const std::shared_ptr<Program>> beside);
  void share_memory();
  std::size_t model_bytes() const;
  std::optional<ProgramAnswer> answer_to(const ProgramQuestion& question,
                                         const std::function<void()>& prepare);
  std::optional<ProgramAnswer> next_answer(const ProgramQuestion& question, int patience_ms);
  /// What it has to say before it is asked: a hello, then answer 0. Throws Misuse if it ends before that.
  std::span<const std::byte> first_word(const FirstWord& awaited,
                                        std::span<const std::shared_ptr<Program>> beside);
  ProgramChannel::Heard hear_first_word(const FirstWord& awaited,
                                        std::span<const std::shared_ptr<Program>> beside);
  std::string how_it_ended();
  bool was_killed();
  bool ended_by_itself() const { return process_ && process_->ended_by_itself(); }
  void end_for_certain();
  void start_anew(const ProgramQuestion& question);
  ProgramChannel::Heard hear(const ProgramQuestion& question, int patience_ms);
  ProgramChannel::Heard receive(std::int64_t patience_ms);
  ProgramChannel::Heard hear_within(int patience_ms, std::int64_t& next_word_ms,
                                    const std::function<std::string(std::int64_t waited_ms)>& words);
  [[noreturn]] void give_up(const ProgramQuestion& question);
  template <class Refusal = Misuse>
  [[noreturn]] void cannot_take_part(const std::string& why) const;

  std::optional<ProgramCommand> command_;  // empty: somebody else has started it
  ProgramCare care_;
  ProgramFacts facts_;
  Index largest_dimension_;
  std::optional<ProgramProcess> process_;
  ProgramChannel channel_;
  std::optional<ProgramHello> hello_;
  std::shared_ptr<SharedMemory> memory_;
  std::vector<std::byte> initial_;  // x_0, to compare a program that was started anew
  std::vector<FixedPart> fixed_;
  std::int64_t next_word_ms_ = 10'000;  // of a wait that lasts so long; doubled by each word
  bool has_stopped_ = false;            // it has asked the run to end
  bool is_told_ = false;                // the facts
  std::uint64_t asked_ = 0;             // questions of this process
  std::uint64_t iteration_ = 0;         // of the last gradient that it was asked for
  std::optional<std::string> failure_;  // what ended it for this process
  pid_t starter_ = -1;                  // the process that has started the program as it is now
  std::mutex mutex_;
};

}  // namespace hearsay

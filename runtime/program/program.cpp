#include "runtime/program/program.hpp"

#include <signal.h>

#include <algorithm>
#include <exception>
#include <future>
#include <limits>
#include <string_view>
#include <thread>
#include <utility>

#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/program/program_rules.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/enumeration.hpp"

namespace hearsay {

namespace {

using Outcome = ProgramAnswer::Outcome;

constexpr int patience_with_the_dead_ms = 1000;  // the socket may close before the process has ended

/// Starts a program that is to outlive the calling thread. The kernel ends it with the thread that has
/// started it (ProgramProcess), so that is a thread that waits until the process ends.
ProgramProcess::Started start_for_the_process(const ProgramCommand& command) {
  std::promise<ProgramProcess::Started> started;
  std::future<ProgramProcess::Started> result = started.get_future();
  std::thread([&command, started = std::move(started)]() mutable {
    try {
      started.set_value(ProgramProcess::start(command));
    } catch (const Misuse&) {
      started.set_exception(std::current_exception());
      return;
    }
    for (;;) pause();
  }).detach();
  return result.get();
}

/// "the gradient of iteration 5"
std::string name_of(const ProgramQuestion& question) {
  return question.kind == ProgramQuestion::Kind::score
             ? "a score"
             : "the gradient of iteration " + std::to_string(question.iteration);
}

int milliseconds_of(Duration duration) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return static_cast<int>(
      std::min<std::int64_t>(most, std::chrono::ceil<std::chrono::milliseconds>(duration).count()));
}

/// Returns ", nor have those of peers 1 and 2": the programs without a word, but for that of `peer`.
std::string silent_ones_of(std::span<const std::shared_ptr<Program>> programs, PeerId peer) {
  std::vector<std::string> silent;
  for (const auto& program : programs)
    if (program->peer() != peer && !program->has_spoken()) silent.push_back(std::to_string(program->peer()));
  if (silent.empty()) return "";
  if (silent.size() == 1) return ", nor has that of peer " + silent.front();
  return ", nor have those of peers " + enumerated(silent);
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Program::Program(ProgramCommand command, ProgramFacts facts, ProgramCare care, Index largest_dimension)
    : command_(std::move(command)),
      care_(std::move(care)),
      facts_(facts),
      largest_dimension_(largest_dimension) {
  start_process(&ProgramProcess::start);
}

Program::Program(FileDescriptor channel, ProgramFacts facts, ProgramCare care, Index largest_dimension)
    : care_(std::move(care)),
      facts_(facts),
      largest_dimension_(largest_dimension),
      channel_(std::move(channel)) {}

std::string Program::name() const { return "the program of peer " + std::to_string(facts_.peer); }

template <class Refusal>
void Program::cannot_take_part(const std::string& why) const {
  refuse(name() + " " + why);
  throw Refusal("model.program", command_ ? toml_list(command_->words) : "--program-fd", name() + " " + why);
}

std::size_t Program::model_bytes() const {
  const std::size_t scalar_bytes = size_in_bytes(hello_->scalar);
  return static_cast<std::size_t>(hello_->dimension) * scalar_bytes;
}

std::span<std::byte> Program::samples() const {
  const MemoryLayout& layout = memory_->layout();
  return memory_->part(layout.samples, layout.size - layout.samples);
}

std::span<const std::byte> Program::first_word(const FirstWord& awaited,
                                               std::span<const std::shared_ptr<Program>> beside) {
  switch (hear_first_word(awaited, beside)) {
    case ProgramChannel::Heard::message:
      return channel_.message();
    case ProgramChannel::Heard::silence:
      if (process_) process_->signal(SIGKILL);  // it would not hear that it cannot take part either
      cannot_take_part<SilentStart>(
          "has not said " + awaited.spelled_out + " within " + to_text(care_.answer_within) +
          " (model.answer_within); expected one that waits for no other program, as in init_process_group "
          "of torch.distributed, since they are started one after the other");
    case ProgramChannel::Heard::end:
      break;
  }
  const std::string how = how_it_ended();
  cannot_take_part("has ended before " + awaited.name + how +
                   (how.empty() || how == ", with exit code 0"
                        ? "; expected one that computes for a peer: in Python, hearsay.Peer or hearsay.torch"
                        : ""));
}

/// Says soon, and then ever more rarely, for whom it waits.
ProgramChannel::Heard Program::hear_first_word(const FirstWord& awaited,
                                               std::span<const std::shared_ptr<Program>> beside) {
  std::int64_t next_word_ms = milliseconds_of(care_.wait_at_start);
  return hear_within(milliseconds_of(care_.answer_within), next_word_ms, [&](std::int64_t waited_ms) {
    return name() + " has not said " + awaited.spelled_out + " for " +
           to_text(std::chrono::milliseconds(waited_ms)) + " now" + silent_ones_of(beside, facts_.peer);
  });
}

ProgramChannel::Heard Program::receive(std::int64_t patience_ms) {
  return channel_.receive(static_cast<int>(patience_ms), process_ ? process_->watch() : -1);
}

/// Waits for the next message, and says `words` after `next_word_ms`, then after twice that time, and so on.
ProgramChannel::Heard Program::hear_within(int patience_ms, std::int64_t& next_word_ms,
                                           const std::function<std::string(std::int64_t)>& words) {
  std::int64_t waited_ms = 0;
  while (next_word_ms < patience_ms) {
    const auto heard = receive(next_word_ms - waited_ms);
    if (heard != ProgramChannel::Heard::silence) return heard;
    waited_ms = std::exchange(next_word_ms, 2 * next_word_ms);
    care_.on_wait(words(waited_ms) + "; it may take " + to_text(care_.answer_within) +
                  " (model.answer_within)");
  }
  return receive(patience_ms - waited_ms);
}

void Program::start_process(Start start) {
  auto [process, channel] = start(*command_);
  process_ = std::move(process);
  starter_ = getpid();
  channel_ = ProgramChannel(std::move(channel));
}

void Program::come_up(Start start, std::span<const std::shared_ptr<Program>> beside) {
  for (int ends = 1;; ++ends) {
    try {
      is_told_ = false;
      ProgramHello hello = hear_hello(beside);
      const bool begins_now = initial_.empty();
      if (!begins_now && hello != *hello_)
        throw ProgramFailure("its program, started anew, says another hello than before");
      if (begins_now) {
        hello_ = std::move(hello);
        memory_.reset();
      }
      return share_memory();
    } catch (const Misuse&) {
      if (ends == most_ends_at_one_question || !was_killed()) throw;
    }
    care_.on_restart(name() + " was killed " + process_->how() + " before it had begun; it is started anew",
                     iteration_);
    start_process(start);
  }
}

ProgramHello Program::hear_hello(std::span<const std::shared_ptr<Program>> beside) {
  const std::span<const std::byte> word =
      first_word({"its hello", "its hello, the size of its model,"}, beside);
  if (const auto last_words = decode_answer(word); last_words && last_words->outcome != Outcome::answered)
    cannot_take_part("has ended before its hello: " + last_words->text);
  auto hello = word.size() > hello_limit
                   ? std::variant<ProgramHello, std::string>("its hello is longer than 131072 bytes")
                   : read_hello(text_of(word), largest_dimension_);
  if (const auto* const wrong = std::get_if<std::string>(&hello))
    cannot_take_part("cannot be used: " + *wrong);
  return std::get<ProgramHello>(std::move(hello));
}

void Program::share_memory() {
  if (!memory_) {
    const std::size_t scalar_bytes = size_in_bytes(hello_->scalar);
    const std::size_t samples = std::max(static_cast<std::size_t>(facts_.batch.value_or(0)),
                                         static_cast<std::size_t>(hello_->samples));
    memory_ = std::make_shared<SharedMemory>(
        memory_layout(static_cast<std::size_t>(hello_->dimension), scalar_bytes, samples));
  }
  if (!channel_.send(facts_text(facts_, memory_->layout()), memory_->descriptor()))
    cannot_take_part("has ended after its hello" + how_it_ended());
  is_told_ = true;
  auto ready = decode_ready(first_word({"its x_0", "its x_0"}, {}));
  if (!ready) cannot_take_part("has said something else than that its x_0 is there");
  if (ready->answer.outcome == Outcome::stops) cannot_take_part("has asked the run to end before its x_0");
  if (ready->answer.outcome != Outcome::answered)
    cannot_take_part("has ended before its x_0: " + ready->answer.text);
  fixed_ = std::move(ready->fixed);
  if (initial_.empty()) initial_.assign(x().begin(), x().end());
}

/// Returns "" or ", with exit code 1", as far as this process can know.
std::string Program::how_it_ended() {
  if (!process_ || !process_->has_ended(patience_with_the_dead_ms)) return "";
  const std::string how = process_->how();
  return how.empty() ? "" : ", " + how;
}

/// True if this process's program has ended, and not by itself.
bool Program::was_killed() { return process() && process_->has_ended(0) && !ended_by_itself(); }

ProgramAnswer Program::ask(const ProgramQuestion& question, const std::function<void()>& prepare) {
  // One that has failed is asked no more: an evaluation and a gradient are asked for at the same time.
  if (failure_) throw ProgramFailure(*failure_);
  try {
    return insist(question, prepare);
  } catch (const ProgramFailure& failure) {
    failure_ = failure.what();
    throw;
  } catch (const StopAsked&) {
    if (!std::exchange(has_stopped_, true)) care_.on_stop(name() + " has asked the run to end");
    throw;
  }
}

ProgramAnswer Program::insist(ProgramQuestion question, const std::function<void()>& prepare) {
  // A process that was forked later, or restored, must not take an answer to an earlier process for its own.
  question.number = static_cast<std::uint64_t>(getpid()) << 32 | ++asked_;
  iteration_ = std::max(iteration_, question.iteration);
  for (int ends = 0;;) {
    if (ends > 0 || !channel_.is_open()) start_anew(question);
    if (auto answer = answer_to(question, prepare)) return std::move(*answer);
    end_for_certain();
    const std::string how = how_it_ended();
    channel_.close();
    const EndAtQuestion end{command_.has_value(), ended_by_itself(), how};
    if (const auto why = why_given_up(end, ++ends)) throw ProgramFailure(*why);
  }
}

/// A program that has closed its socket and lives on would run beside the one that takes its place.
void Program::end_for_certain() {
  if (process_ && !process_->is_gone(patience_with_the_dead_ms)) process_->signal(SIGKILL);
}

/// Returns nothing if the program has ended without a word.
std::optional<ProgramAnswer> Program::answer_to(const ProgramQuestion& question,
                                                const std::function<void()>& prepare) {
  prepare();
  // A program that is gone may have said why before: what it has said is there still.
  const bool is_there = channel_.send(encode_question(question));
  const int patience_ms = is_there ? milliseconds_of(care_.answer_within) : 0;
  AwaitedAnswer awaited(question.number);
  while (auto answer = next_answer(question, patience_ms))
    if (awaited.is(*answer)) return answer;
  awaited.give_up();
  return std::nullopt;
}

/// Returns the next answer, to whatever question; nothing at the end of the program.
std::optional<ProgramAnswer> Program::next_answer(const ProgramQuestion& question, int patience_ms) {
  switch (hear(question, patience_ms)) {
    case ProgramChannel::Heard::end:
      return std::nullopt;
    case ProgramChannel::Heard::silence:
      if (patience_ms == 0) return std::nullopt;
      give_up(question);
    case ProgramChannel::Heard::message:
      break;
  }
  auto answer = decode_answer(channel_.message());
  if (!answer) throw ProgramFailure("its program does not keep to the protocol");
  return answer;
}

/// Waits for the next message, and says now and then for how long.
ProgramChannel::Heard Program::hear(const ProgramQuestion& question, int patience_ms) {
  return hear_within(patience_ms, next_word_ms_, [&](std::int64_t waited_ms) {
    return name() + " has not answered the question for " + name_of(question) + " for " +
           std::to_string(waited_ms / 1000) + " s now";
  });
}

/// Ends a program that does not answer: it would not hear of the run's end either.
void Program::give_up(const ProgramQuestion& question) {
  if (process_) process_->signal(SIGKILL);
  throw ProgramSilence(name() + " has not answered the question for " + name_of(question) + " within " +
                       to_text(care_.answer_within) + " (model.answer_within)");
}

void Program::start_anew(const ProgramQuestion& question) {
  ensure(command_.has_value(), "a program is started anew by who has started it");
  const std::string how = process_ ? process_->how() : "";
  care_.on_restart(name() + " was killed" + (how.empty() ? "" : " " + how) +
                       "; it is started anew, and asked for " + name_of(question) + " again",
                   iteration_);
  const std::vector<FixedPart> fixed_before = fixed_;
  try {
    start_process(start_for_the_process);
    come_up(start_for_the_process, {});
  } catch (const Misuse& misuse) {
    throw ProgramFailure(std::string("its program could not be started anew: ") + misuse.what());
  }
  if (fixed_ != fixed_before)
    throw ProgramFailure("its program, started anew, has another model than before");
  if (!std::ranges::equal(x(), initial_))
    throw ProgramFailure(
        "its program, started anew, begins at another x_0; expected a model that is made from a fixed seed");
}

void Program::refuse(const std::string& why) const { channel_.send(refusal_text(why)); }

void Program::say_end(const ProgramEnd& end) const {
  if (!is_told_) return refuse(end.reason);  // it waits for the facts
  const std::string text = end_text(end.code, end.reason, end.output);
  const auto question = encode_question({.kind = ProgramQuestion::Kind::end});
  std::vector<std::byte> bytes(question.begin(), question.end());
  const auto words = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), words.begin(), words.end());
  channel_.send(bytes);
}

}  // namespace hearsay

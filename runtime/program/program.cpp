#include "runtime/program/program.hpp"

#include <signal.h>

#include <algorithm>
#include <exception>
#include <future>
#include <string_view>
#include <thread>
#include <utility>

#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

using Outcome = ProgramAnswer::Outcome;

constexpr int patience_before_the_run_ms = 60'000;
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

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Program::Program(ProgramCommand command, ProgramFacts facts, Index largest_dimension)
    : command_(std::move(command)), facts_(facts), largest_dimension_(largest_dimension) {
  auto [process, channel] = ProgramProcess::start(*command_);
  process_ = std::move(process);
  starter_ = getpid();
  channel_ = ProgramChannel(std::move(channel));
}

Program::Program(FileDescriptor channel, ProgramFacts facts, Index largest_dimension)
    : facts_(facts), largest_dimension_(largest_dimension), channel_(std::move(channel)) {}

std::string Program::name() const { return "the program of peer " + std::to_string(facts_.peer); }

void Program::cannot_take_part(const std::string& why) const {
  refuse(name() + " " + why);
  throw Misuse("model.program", command_ ? toml_list(command_->words) : "--program-fd", name() + " " + why);
}

std::size_t Program::model_bytes() const {
  const std::size_t scalar_bytes = hello_->scalar == ScalarKind::float32 ? sizeof(float) : sizeof(double);
  return static_cast<std::size_t>(hello_->dimension) * scalar_bytes;
}

std::span<std::byte> Program::samples() const {
  const MemoryLayout& layout = memory_->layout();
  return memory_->part(layout.samples, layout.size - layout.samples);
}

std::span<const std::byte> Program::first_word(const std::string& awaited) {
  switch (channel_.receive(patience_before_the_run_ms)) {
    case ProgramChannel::Heard::message:
      return channel_.message();
    case ProgramChannel::Heard::silence:
      cannot_take_part("has not said " + awaited + " within " +
                       std::to_string(patience_before_the_run_ms / 1000) + " s");
    case ProgramChannel::Heard::end:
      break;
  }
  const std::string how = how_it_ended();
  cannot_take_part("has ended before " + awaited + how +
                   (how.empty() || how == ", with exit code 0"
                        ? "; expected one that computes for a peer: in Python, hearsay.Peer or hearsay.torch"
                        : "; what it said stands above"));
}

void Program::meet() {
  const std::span<const std::byte> word = first_word("its hello");
  if (const auto last_words = decode_answer(word); last_words && last_words->outcome != Outcome::answered)
    cannot_take_part("has ended before its hello: " + last_words->text);
  auto hello = word.size() > hello_limit
                   ? std::variant<ProgramHello, std::string>("its hello is longer than 131072 bytes")
                   : read_hello(text_of(word), largest_dimension_);
  if (const auto* const wrong = std::get_if<std::string>(&hello))
    cannot_take_part("cannot be used: " + *wrong);
  if (!hello_) hello_ = std::get<ProgramHello>(std::move(hello));
}

void Program::share_memory() {
  if (!memory_) {
    const std::size_t scalar_bytes = hello_->scalar == ScalarKind::float32 ? sizeof(float) : sizeof(double);
    const std::size_t samples = std::max(static_cast<std::size_t>(facts_.batch.value_or(0)),
                                         static_cast<std::size_t>(hello_->samples));
    memory_ = std::make_shared<SharedMemory>(
        memory_layout(static_cast<std::size_t>(hello_->dimension), scalar_bytes, samples));
  }
  if (!channel_.send(facts_text(facts_, memory_->layout()), memory_->descriptor()))
    cannot_take_part("has ended after its hello" + how_it_ended());
  const auto ready = decode_answer(first_word("its x_0"));
  if (!ready || ready->number != 0) cannot_take_part("has said something else than that its x_0 is there");
  if (ready->outcome != Outcome::answered) cannot_take_part("has ended before its x_0: " + ready->text);
  if (initial_.empty()) initial_.assign(x().begin(), x().end());
}

/// Returns "" or ", with exit code 1", as far as this process can know.
std::string Program::how_it_ended() {
  if (!process() || !process_->has_ended(patience_with_the_dead_ms)) return "";
  return ", " + process_->how();
}

ProgramAnswer Program::ask(ProgramQuestion question, const std::function<void()>& prepare) {
  // A process that was forked later, or restored, must not take an answer to an earlier process for its own.
  question.number = static_cast<std::uint64_t>(getpid()) << 32 | ++asked_;
  std::string how;
  for (int ends = 0; ends < most_ends_at_one_question; ++ends) {
    if (ends > 0 || !channel_.is_open()) start_anew();
    if (auto answer = answer_to(question, prepare)) return std::move(*answer);
    end_for_certain();
    how = how_it_ended();
    channel_.close();
    if (!command_) throw ProgramFailure("its program has ended");
  }
  throw ProgramFailure("its program has ended " + std::to_string(most_ends_at_one_question) +
                       " times at the same question" + how + "; what it said stands above");
}

/// A program that has closed its socket and lives on would run beside the one that takes its place.
void Program::end_for_certain() {
  if (process_ && !process_->is_gone(patience_with_the_dead_ms)) process_->signal(SIGKILL);
}

/// Returns nothing if the program has ended without a word.
std::optional<ProgramAnswer> Program::answer_to(const ProgramQuestion& question,
                                                const std::function<void()>& prepare) {
  prepare();
  if (!channel_.send(encode_question(question))) return std::nullopt;
  for (;;) {
    if (channel_.receive() != ProgramChannel::Heard::message) return std::nullopt;
    auto answer = decode_answer(channel_.message());
    if (!answer) throw ProgramFailure("its program does not keep to the protocol");
    const std::string& text = answer->text;
    if (answer->outcome == Outcome::leaves) throw ProgramFailure(text.empty() ? "its program left" : text);
    if (answer->outcome == Outcome::stops) throw StopAsked();
    if (answer->number != question.number) continue;  // it answers a process that was killed
    if (answer->outcome == Outcome::failed) throw ProgramFailure(text.empty() ? "without a reason" : text);
    return answer;
  }
}

void Program::start_anew() {
  ensure(command_.has_value(), "a program is started anew by who has started it");
  const ProgramHello before = *hello_;
  try {
    auto [process, channel] = start_for_the_process(*command_);
    process_ = std::move(process);
    starter_ = getpid();
    channel_ = ProgramChannel(std::move(channel));
    hello_.reset();
    meet();
    const bool same = *hello_ == before;
    hello_ = before;
    if (!same) throw ProgramFailure("its program, started anew, says another hello than before");
    share_memory();
  } catch (const Misuse& misuse) {
    hello_ = before;
    throw ProgramFailure(std::string("its program could not be started anew: ") + misuse.what());
  }
  if (!std::ranges::equal(x(), initial_))
    throw ProgramFailure(
        "its program, started anew, begins at another x_0; expected a model that is made from a fixed seed");
}

void Program::refuse(const std::string& why) const { channel_.send(refusal_text(why)); }

void Program::say_end(const std::string& text) const {
  const auto question = encode_question({.kind = ProgramQuestion::Kind::end});
  std::vector<std::byte> bytes(question.begin(), question.end());
  const auto words = std::as_bytes(std::span(text));
  bytes.insert(bytes.end(), words.begin(), words.end());
  channel_.send(bytes);
}

}  // namespace hearsay

#include "runtime/program/program_fleet.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "runtime/program/program_rules.hpp"

namespace hearsay {

namespace {

constexpr int patience_after_sigterm_ms = 1000;

}  // namespace

ProgramFleet::ProgramFleet(std::vector<Plan> plans, const ProgramCare& care, Index largest_dimension)
    : owner_(getpid()), fates_(plans.size()) {
  std::vector<std::string> prefixes;
  for (const Plan& plan : plans) prefixes.push_back("peer " + std::to_string(plan.command.peer) + " | ");
  lines_ = std::make_unique<PrefixedLines>(prefixes);
  const std::size_t at_a_time = std::max(1u, std::thread::hardware_concurrency());
  try {
    std::size_t started = 0;
    for (std::size_t met = 0; met < plans.size(); ++met) {
      for (; started < std::min(plans.size(), met + at_a_time); ++started) {
        plans[started].command.output = lines_->pipe(started);
        programs_.push_back(std::make_shared<Program>(plans[started].command, plans[started].facts,
                                                      counting(care, started), largest_dimension));
      }
      programs_[met]->come_up(programs_);
    }
  } catch (const Misuse& misuse) {
    refuse(misuse);
    end_all();
    throw;
  } catch (...) {
    end_all();
    throw;
  }
}

ProgramFleet::ProgramFleet(FileDescriptor channel, const ProgramFacts& facts, const ProgramCare& care,
                           Index largest_dimension)
    : owner_(getpid()), fates_(1) {
  programs_.push_back(std::make_shared<Program>(std::move(channel), facts, care, largest_dimension));
  programs_.front()->come_up({});
}

ProgramCare ProgramFleet::counting(ProgramCare care, std::size_t k) {
  care.on_restart = [fates = fates_, owner = owner_, k, told = care.on_restart](
                        const std::string& sentence, std::uint64_t iteration) mutable {
    fates.note_restart(k, getpid() != owner, iteration);
    told(sentence, iteration);
  };
  return care;
}

ProgramFleet::~ProgramFleet() {
  if (!is_forked()) end_all();
}

void ProgramFleet::say_end(const ProgramEnd& end, std::span<const PeerId> dropped) {
  if (std::exchange(told_, true)) return;
  patience_ms_ = patience_with_ends_ms(end.code);
  for (const auto& program : programs_)
    if (!is_forked() || program->process()) program->say_end(end);
  if (is_forked()) return note_ends_of_own();
  if (end.code == 0) await_good_ends(dropped);
}

std::vector<ProgramRestart> ProgramFleet::restarts() const {
  std::vector<ProgramRestart> all;
  for (std::size_t k = 0; k < programs_.size(); ++k)
    for (const std::uint64_t iteration : fates_.restarts(k)) all.push_back({programs_[k]->peer(), iteration});
  return all;
}

void ProgramFleet::note_ends_of_own() {
  have_ended(patience_ms_);
  for (std::size_t k = 0; k < programs_.size(); ++k)
    if (ProgramProcess* const process = programs_[k]->process()) fates_.note_end(k, failure_now(*process));
  signal_all(SIGKILL);
}

void ProgramFleet::await_good_ends(std::span<const PeerId> dropped) {
  have_ended(patience_ms_);
  std::vector<EndedProgram> ended;
  for (std::size_t k = 0; k < programs_.size(); ++k) {
    ProgramProcess* const process = programs_[k]->process();
    ended.push_back({programs_[k]->peer(), programs_[k]->name(),
                     fates_.ends_elsewhere(k) ? fates_.failure_elsewhere(k)
                     : process                ? failure_now(*process)
                                              : ""});
  }
  const std::string failures = failures_of(ended, dropped);
  patience_ms_ = 0;
  if (!failures.empty()) throw ProgramFailure(failures);
}

std::string ProgramFleet::failure_now(ProgramProcess& process) {
  const bool has_ended = process.has_ended(0, with_killed_);
  return failure_of({has_ended, process.ended_badly(), process.how()}, patience_ms_);
}

void ProgramFleet::refuse(const Misuse& why) {
  if (std::exchange(told_, true)) return;
  const int code = dynamic_cast<const SilentStart*>(&why) != nullptr ? 3 : 2;
  patience_ms_ = patience_with_ends_ms(code);
  for (const auto& program : programs_) program->say_end({code, why.what(), ""});
}

bool ProgramFleet::have_ended(int left_ms) {
  constexpr int look_every_ms = 50;
  for (const auto& program : programs_) {
    ProgramProcess* const process = program->process();
    while (process && !process->has_ended(left_ms > 0 ? look_every_ms : 0, with_killed_)) {
      if (left_ms <= 0) return false;
      left_ms -= look_every_ms;
    }
  }
  return true;
}

void ProgramFleet::signal_all(int number) {
  for (const auto& program : programs_)
    if (ProgramProcess* const process = program->process()) process->signal(number);
}

void ProgramFleet::end_all() {
  say_end({3, "hearsay has ended without a word about the run", ""}, {});
  if (have_ended(patience_ms_)) return;
  for (const int number : {SIGTERM, SIGKILL}) {
    signal_all(number);
    if (have_ended(patience_after_sigterm_ms)) return;
  }
}

}  // namespace hearsay

#include "runtime/program/program_fleet.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr int patience_after_a_good_end_ms = 60'000;  // a program may save its model
constexpr int patience_ms = 5000;
constexpr int patience_of_the_interrupted_ms = 500;
constexpr int patience_after_sigterm_ms = 1000;

std::shared_ptr<std::atomic<std::uint64_t>> shared_counter() {
  using Counter = std::atomic<std::uint64_t>;
  void* const page =
      mmap(nullptr, sizeof(Counter), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw Misuse("this machine does not give another page of memory");
  return {new (page) Counter(0), [](Counter* counter) { munmap(counter, sizeof(Counter)); }};
}

}  // namespace

ProgramFleet::ProgramFleet(std::vector<Plan> plans, const ProgramCare& care, Index largest_dimension)
    : owner_(getpid()), restarts_(shared_counter()) {
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
                                                      counting(care), largest_dimension));
      }
      programs_[met]->come_up();
    }
  } catch (const Misuse& misuse) {
    refuse(misuse.what());
    end_all();
    throw;
  } catch (...) {
    end_all();
    throw;
  }
}

ProgramFleet::ProgramFleet(FileDescriptor channel, const ProgramFacts& facts, const ProgramCare& care,
                           Index largest_dimension)
    : owner_(getpid()), restarts_(shared_counter()) {
  programs_.push_back(std::make_shared<Program>(std::move(channel), facts, care, largest_dimension));
  programs_.front()->come_up();
}

ProgramCare ProgramFleet::counting(ProgramCare care) const {
  care.on_restart = [counter = restarts_, told = care.on_restart](const std::string& sentence) {
    ++*counter;
    told(sentence);
  };
  return care;
}

ProgramFleet::~ProgramFleet() {
  if (getpid() == owner_) end_all();
}

void ProgramFleet::say_end(int code, const std::string& reason, const std::string& output) {
  if (std::exchange(told_, true)) return;
  patience_ms_ = code == 0     ? patience_after_a_good_end_ms
                 : code == 130 ? patience_of_the_interrupted_ms
                               : patience_ms;
  const bool is_forked = getpid() != owner_;  // then only those count that this process has started anew
  std::vector<Program*> told;                 // those that are there still: others may have left, under drop
  for (const auto& program : programs_)
    if ((!is_forked || program->process()) && program->say_end({code, reason, output}))
      told.push_back(program.get());
  if (is_forked && !have_ended(patience_ms_)) signal_all(SIGKILL);
  if (!is_forked && code == 0) await_good_ends(told);
}

void ProgramFleet::await_good_ends(const std::vector<Program*>& told) {
  have_ended(patience_ms_);
  std::string failures;
  for (Program* const program : told) {
    ProgramProcess* const process = program->process();
    if (!process || process->succeeded()) continue;
    failures += (failures.empty() ? "" : "; ") + program->name();
    failures += process->has_ended(0) ? " has failed after the end of the run, " + process->how()
                                      : " goes on " + std::to_string(patience_ms_ / 1000) +
                                            " s after the end of the run, and is ended";
  }
  patience_ms_ = 0;
  if (!failures.empty()) throw ProgramFailure(failures);
}

void ProgramFleet::refuse(const std::string& why) {
  if (std::exchange(told_, true)) return;
  patience_ms_ = patience_ms;
  for (const auto& program : programs_) program->say_end({2, why, ""});
}

bool ProgramFleet::have_ended(int left_ms) {
  constexpr int look_every_ms = 50;
  for (const auto& program : programs_) {
    ProgramProcess* const process = program->process();
    while (process && !process->has_ended(left_ms > 0 ? look_every_ms : 0)) {
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
  say_end(3, "hearsay has ended without a word about the run", "");
  if (have_ended(patience_ms_)) return;
  for (const int number : {SIGTERM, SIGKILL}) {
    signal_all(number);
    if (have_ended(patience_after_sigterm_ms)) return;
  }
}

}  // namespace hearsay

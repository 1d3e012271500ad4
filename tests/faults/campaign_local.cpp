#include "tests/faults/campaign_local.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <utility>

#include "runtime/zmq/clock.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test {

using std::chrono::milliseconds;

LocalCampaign::LocalCampaign(CampaignPlan plan) : plan_(std::move(plan)) {
  folder_.write("run.toml", run_file_of(plan_.run) + "peers = " + std::to_string(CampaignRun::peers) +
                                "\nkind = \"" + plan_.run.topology + "\"\n");
}

void LocalCampaign::run() {
  started_ = monotonic_now();
  begin(false);
  for (const Strike& next : plan_.strikes) {
    if (toll_.parent_was_killed || !pass_until(started_ + milliseconds(next.at_ms))) break;
    strike(next);
  }
  CAPTURE(toll_.story);
  if (toll_.parent_was_killed) return check_left_alone();
  if (!plan_.run.drops) return check_same_bits_in_the_end();
  if (toll_.interrupted && was_interrupted(end()))
    CHECK((record_of(output()).summary.is_discarded() ||
           record_of(output()).summary["status"] == "interrupted"));
  else if (!was_refused())
    check_dropped(plan_.run, toll_, ended());
  CHECK(program_->everyone_ended());
}

std::vector<std::string> LocalCampaign::program_words() const {
  if (!plan_.run.has_programs) return {};
  return {"--", HEARSAY_ANSWERING_PROGRAM};
}

void LocalCampaign::begin(bool resumes) {
  std::vector<std::string> words = {"run", "run.toml", "--quiet", "--output", output().string()};
  if (resumes) words.emplace_back("--resume");
  for (const std::string& word : program_words()) words.push_back(word);
  asleep_.clear();
  code_.reset();
  program_.emplace(folder_.path(), words);
  processes_.emplace(program_->process(), plan_.run);
}

void LocalCampaign::wake_until(Instant time) {
  while (!asleep_.empty() && asleep_.begin()->first <= time) {
    kill(asleep_.begin()->second, SIGCONT);
    asleep_.erase(asleep_.begin());
  }
}

bool LocalCampaign::pass_until(Instant time) {
  return !code_ && program_->wait_until([&] {
    processes_->look();
    wake_until(monotonic_now());
    return monotonic_now() >= time;
  });
}

void LocalCampaign::strike(const Strike& strike) {
  if (strike.target == Target::parent) return strike_parent(strike);
  if (plan_.run.drops && toll_.ended.contains(strike.id)) return note(strike, "gone already");
  const std::optional<pid_t> victim = found(strike);
  if (!victim) return note(strike, "not there");
  note_hit(strike);
  if (strike.deed == Deed::stop) return stop(*victim, strike);
  if (strike.target == Target::peer) toll_.ended.insert(strike.id);
  kill(*victim, strike.deed == Deed::kill ? SIGKILL : SIGTERM);
}

/// Waits until the process is there: that of a peer that was killed comes back, and before the run begins it
/// is struck as soon as it exists.
std::optional<pid_t> LocalCampaign::found(const Strike& strike) {
  std::optional<pid_t> victim;
  program_->wait_until([&] {
    processes_->look();
    wake_until(monotonic_now());
    victim = strike.target == Target::peer ? processes_->peer(strike.id) : processes_->program(strike.id);
    return victim.has_value();
  });
  return victim;
}

void LocalCampaign::stop(pid_t process, const Strike& strike) {
  if (strike.is_long()) (strike.target == Target::peer ? toll_.stopped : toll_.mute).insert(strike.id);
  kill(process, SIGSTOP);
  asleep_.emplace(monotonic_now() + milliseconds(strike.stop_ms), process);
}

void LocalCampaign::strike_parent(const Strike& strike) {
  note_hit(strike);
  const pid_t parent = program_->process();
  if (strike.deed == Deed::stop) return stop(parent, strike);
  if (strike.deed == Deed::terminate) {
    toll_.interrupted = true;
    kill(parent, SIGTERM);
    if (was_interrupted(end()) && !plan_.run.drops) begin(true);
    return;
  }
  kill(parent, SIGKILL);
  program_->wait();
  if (!plan_.run.drops)
    wake_until(Instant::max());  // one that was stopped at birth sees then that it is alone
  if (plan_.run.drops) {
    toll_.parent_was_killed = true;
    return;
  }
  CHECK(program_->everyone_ended());
  begin(true);
}

void LocalCampaign::note(const Strike& strike, const std::string& what) {
  const auto passed = std::chrono::duration_cast<milliseconds>(monotonic_now() - started_).count();
  toll_.story += "; " + to_text(strike) + ": " + what + " at " + std::to_string(passed) + " ms, " +
                 std::to_string(evaluations_in(output())) + " evaluations";
}

void LocalCampaign::note_hit(const Strike& strike) {
  toll_.hits.push_back(strike);
  note(strike, "hit");
}

int LocalCampaign::end() {
  if (code_) return *code_;
  const bool is_stuck = pass_until(monotonic_now() + too_long);
  CHECK_FALSE(is_stuck);
  if (is_stuck) kill(program_->process(), SIGKILL);
  code_ = program_->wait();
  wake_until(Instant::max());
  return *code_;
}

CampaignEnd LocalCampaign::ended() {
  return {folder_.path(), output(), program_words(), end(), program_->complained()};
}

/// True if the run could not begin, since a program did not answer in time (model.answer_within).
bool LocalCampaign::was_refused() {
  return end() == 3 && !toll_.mute.empty() &&
         contains(program_->complained(), "within 1 s (model.answer_within)");
}

/// A run that its own rules have ended goes on from its checkpoints.
void LocalCampaign::check_same_bits_in_the_end() {
  if (end() != 0 && !toll_.mute.empty()) {
    CHECK((end() == 3 || was_refused()));
    CHECK_MESSAGE(contains(program_->complained(), "program of peer"), program_->complained());
    CHECK(program_->everyone_ended());
    begin(true);
  }
  check_same_bits(toll_, ended());
  CHECK(program_->everyone_ended());
}

/// Under policy "drop" the peers outlive their parent: they train to the end, and keep their models.
void LocalCampaign::check_left_alone() {
  const auto since = monotonic_now();
  while (!asleep_.empty()) {
    let_pass(5);
    wake_until(monotonic_now());
  }
  CHECK(program_->everyone_ended());
  CHECK(monotonic_now() - since < too_long);
  const std::size_t evaluations = evaluations_in(output());
  // In the last milliseconds the peers have ended, and the parent has not written their model.
  const bool was_closing = evaluations == campaign_evaluations;
  if (plan_.run.has_hub() || evaluations <= 1 || was_closing) return;
  for (std::size_t id = 0; id < CampaignRun::peers; ++id) {
    CAPTURE(id);
    if (!toll_.may_be_lost().contains(id))
      CHECK(std::filesystem::exists(output() / ("model-" + std::to_string(id) + ".npy")));
  }
}

}  // namespace hearsay::test

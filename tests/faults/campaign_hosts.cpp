#include "tests/faults/campaign_hosts.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/zmq/clock.hpp"
#include "tests/faults/campaign_processes.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

HostPeers::Setup setup_of(const CampaignRun& run) {
  HostPeers::Setup setup{.iterations = std::to_string(campaign_iterations),
                         .failure = failure_of(run),
                         .family = run.topology,
                         .algorithm = algorithm_of(run),
                         .on_loopback = true};
  if (run.has_programs) setup.data.clear();
  return setup;
}

}  // namespace

HostsCampaign::HostsCampaign(CampaignPlan plan) : plan_(std::move(plan)), hosts_(setup_of(plan_.run)) {
  if (plan_.run.has_standby) settings_ = {"--set", "topology.hub=dedicated"};
  if (plan_.run.has_programs) settings_ = {"--", HEARSAY_ANSWERING_PROGRAM};
}

void HostsCampaign::run() {
  started_ = monotonic_now();
  for (std::size_t id = 0; id < HostPeers::count; ++id) start(id, false);
  for (const Strike& next : plan_.strikes) {
    pass_until(started_ + milliseconds(next.at_ms));
    strike(next);
  }
  wait_for_all();
  CAPTURE(toll_.story);
  if (!plan_.run.drops) return check_waited();
  check_dropped_on_hosts();
}

void HostsCampaign::start(std::size_t id, bool resumes) {
  std::vector<std::string> words = {"--wait", "10 s"};
  if (resumes) words.emplace_back("--resume");
  words.insert(words.end(), settings_.begin(), settings_.end());
  hosts_.start(id, words);
  codes_[id].reset();
}

void HostsCampaign::strike(const Strike& strike) {
  const std::optional<pid_t> victim = victim_of(strike);
  const auto passed = std::chrono::duration_cast<milliseconds>(monotonic_now() - started_).count();
  toll_.story += "; " + to_text(strike) + (victim ? ": hit at " : ": not there at ") +
                 std::to_string(passed) + " ms, " + std::to_string(evaluations_in(hosts_.output(0))) +
                 " evaluations";
  if (!victim) return;
  toll_.hits.push_back(strike);
  const bool is_program = strike.target == Target::program;
  if (strike.deed != Deed::stop && is_program) {
    kill(*victim, strike.deed == Deed::kill ? SIGKILL : SIGTERM);
    return;
  }
  if (strike.deed != Deed::stop) return end_peer(strike);
  if (strike.is_long()) (is_program ? toll_.mute : toll_.stopped).insert(strike.id);
  if (strike.is_long() && is_program && !has_begun()) was_mute_before_the_run_ = true;
  kill(*victim, SIGSTOP);
  asleep_.emplace(monotonic_now() + milliseconds(strike.stop_ms), *victim);
}

/// Returns who is to be struck; empty if it is gone. A program is struck as soon as it is there.
std::optional<pid_t> HostsCampaign::victim_of(const Strike& strike) {
  const pid_t peer = hosts_.peer(strike.id).process();
  while (!codes_[strike.id] && lives(peer)) {
    if (strike.target == Target::peer) return peer;
    if (const auto program = program_under(peer, strike.id)) return program;
    pass_until(monotonic_now() + milliseconds(1));
  }
  return std::nullopt;
}

void HostsCampaign::end_peer(const Strike& strike) {
  const std::size_t id = strike.id;
  const pid_t victim = hosts_.peer(id).process();
  const bool began = has_begun();
  const bool was_over = is_over();
  toll_.ended.insert(id);
  if (strike.deed == Deed::terminate && (!began || (plan_.run.has_hub() && id == 0)))
    toll_.interrupted = true;
  kill(victim, SIGCONT);  // one that stands still would not see SIGTERM
  kill(victim, strike.deed == Deed::kill ? SIGKILL : SIGTERM);
  const auto since = monotonic_now();
  while (lives(victim) && monotonic_now() - since < too_long) pass_until(monotonic_now() + milliseconds(1));
  CHECK_FALSE(lives(victim));
  note_end(id);
  const bool is_missed = plan_.run.drops ? !began : !was_over;
  if (*codes_[id] != 0 && is_missed) start(id, !plan_.run.drops);
}

void HostsCampaign::note_end(std::size_t id) {
  codes_[id] = hosts_.peer(id).wait();
  toll_.story += "; peer " + std::to_string(id) + " ends with " + std::to_string(*codes_[id]) + ": " +
                 hosts_.peer(id).complained();
}

void HostsCampaign::wake_until(Instant time) {
  while (!asleep_.empty() && asleep_.begin()->first <= time) {
    kill(asleep_.begin()->second, SIGCONT);
    asleep_.erase(asleep_.begin());
  }
}

void HostsCampaign::pass_until(Instant time) {
  while (monotonic_now() < time) {
    let_pass(1);
    wake_until(monotonic_now());
  }
}

void HostsCampaign::take_note_of_ends() {
  for (std::size_t id = 0; id < HostPeers::count; ++id) {
    if (codes_[id] || lives(hosts_.peer(id).process())) continue;
    note_end(id);
    if (!plan_.run.drops && toll_.interrupted && was_interrupted(*codes_[id])) start(id, true);
  }
}

void HostsCampaign::wait_for_all() {
  const auto all_ended = [&] {
    return std::ranges::all_of(codes_, [](const auto& code) { return code.has_value(); });
  };
  for (Instant since = monotonic_now(); !all_ended() && monotonic_now() - since < too_long;) {
    pass_until(monotonic_now() + milliseconds(5));
    take_note_of_ends();
  }
  CHECK(all_ended());
  for (std::size_t id = 0; id < HostPeers::count; ++id) {
    if (codes_[id]) continue;
    kill(hosts_.peer(id).process(), SIGKILL);
    codes_[id] = hosts_.peer(id).wait();
  }
}

CampaignEnd HostsCampaign::end_of_0() {
  const fs::path output = hosts_.output(0);
  return {output.parent_path().parent_path(), output, settings_, *codes_[0], hosts_.peer(0).complained()};
}

void HostsCampaign::check_waited() {
  // A program that did not answer has ended the run.
  const auto ended_by_rule = [](const auto& code) { return *code == 3; };
  const bool was_ended = !toll_.mute.empty() && std::ranges::any_of(codes_, ended_by_rule);
  // Where peer 0 is killed between the last evaluation and the summary, all have to be started once more.
  const bool has_no_summary =
      *codes_[0] == -SIGKILL && is_over() && !fs::exists(hosts_.output(0) / "summary.json");
  if (was_ended || has_no_summary) start_all_again();
  for (std::size_t id = 0; id < HostPeers::count; ++id) {
    CAPTURE(id);
    // One that was killed when all had been recorded is not started again.
    CHECK((ended_well(id) || (is_over() && may_be_lost(id))));
  }
  CampaignEnd end = end_of_0();
  end.code = 0;
  end.complained.clear();
  check_same_bits(toll_, end);
}

void HostsCampaign::start_all_again() {
  for (std::size_t id = 0; id < HostPeers::count; ++id) start(id, true);
  wait_for_all();
}

void HostsCampaign::check_dropped_on_hosts() {
  // A peer whose program says nothing before the run has not come when --wait is over.
  const auto has_waited = [](const auto& code) { return *code == 3; };
  if (was_mute_before_the_run_ && std::ranges::all_of(codes_, has_waited)) return;
  if (toll_.interrupted && std::ranges::count(codes_, std::optional<int>(130)) > 1)
    return check_interrupted();
  // Where the observer stands still for too long the others go on without it, and it takes them for gone.
  const bool has_record =
      ended_well(0) && fs::exists(hosts_.output(0) / "summary.json") && !toll_.stopped.contains(0);
  const bool lost_its_hub = plan_.run.has_hub() && may_be_lost(0) && !has_record;
  if (has_record) check_dropped(plan_.run, toll_, end_of_0());
  if (!has_record) CHECK(may_be_lost(0));
  for (std::size_t id = 1; id < HostPeers::count; ++id) {
    CAPTURE(id);
    if (may_be_lost(id)) continue;
    const bool may_end_with_its_hub =
        lost_its_hub && !(plan_.run.has_standby && toll_.may_be_lost().size() == 1);
    if (*codes_[id] == 3 && may_end_with_its_hub) {
      CHECK(contains(hosts_.peer(id).complained(), "hub"));
      continue;
    }
    CHECK(ended_well(id));
  }
  if (!has_record) check_those_without_peer_0();
}

/// A run that was told to end before it began has ended everywhere.
void HostsCampaign::check_interrupted() {
  for (std::size_t id = 0; id < HostPeers::count; ++id) {
    CAPTURE(id);
    CHECK((was_interrupted(*codes_[id]) || may_be_lost(id)));
  }
}

/// Without peer 0 each keeps its own model, or the standby that of the hub, unless the observer came back.
void HostsCampaign::check_those_without_peer_0() {
  if (fs::exists(hosts_.output(0) / "summary.json")) return;
  for (std::size_t id = 1; id < HostPeers::count; ++id) {
    CAPTURE(id);
    const bool has_model = !plan_.run.has_hub() || (plan_.run.has_standby && id == 1);
    if (!may_be_lost(id) && *codes_[id] == 0 && has_model)
      CHECK(fs::exists(hosts_.output(id) / ("model-" + std::to_string(id) + ".npy")));
  }
}

}  // namespace hearsay::test

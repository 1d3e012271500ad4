#include "tests/faults/campaign_plan.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::test {

namespace {

const std::vector<CampaignRun>& runs_of_one_machine() {
  static const std::vector<CampaignRun> runs = {
      {.method = "dcd-psgd"},
      {.method = "choco-sgd"},
      {.method = "artemis", .topology = "star"},
      {.method = "d-psgd"},
      {.method = "d-psgd", .has_programs = true},
      {.method = "fed-avg", .topology = "star", .has_programs = true},
      {.method = "dcd-psgd", .drops = true},
      {.method = "moniqua", .drops = true},
      {.method = "d-psgd", .drops = true, .has_programs = true},
      {.method = "artemis", .topology = "star", .drops = true},
      {.method = "cd-adam", .topology = "star", .drops = true},
      {.method = "ef21", .topology = "star", .drops = true},
      {.method = "chb", .topology = "star", .drops = true},
      {.method = "fed-avg", .topology = "star", .drops = true, .has_standby = true},
      {.method = "gen-qsgd", .topology = "star", .drops = true, .has_standby = true},
  };
  return runs;
}

const std::vector<CampaignRun>& runs_of_hosts() {
  static const std::vector<CampaignRun> runs = {
      {.method = "dcd-psgd"},
      {.method = "choco-sgd"},
      {.method = "artemis", .topology = "star"},
      {.method = "d-psgd", .has_programs = true},
      {.method = "fed-avg", .topology = "star", .has_programs = true},
      {.method = "dcd-psgd", .drops = true},
      {.method = "d-psgd", .drops = true, .has_programs = true},
      {.method = "fed-avg", .topology = "star", .drops = true},
      {.method = "fed-avg", .topology = "star", .drops = true, .has_standby = true},
  };
  return runs;
}

/// Draws the strikes of a campaign, one after the other.
class Drawer {
 public:
  Drawer(std::uint64_t seed, PeerId where) : random_(seed, where, 0, Purpose::data) {}

  CampaignPlan plan(const std::vector<CampaignRun>& runs, bool has_parent) {
    plan_.run = runs[random_.below(runs.size())];
    for (auto left = 1 + random_.below(4); left > 0; --left) {
      at_ms_ += static_cast<int>(random_.below(random_.below(2) == 0 ? 60 : 500));
      add(has_parent);
    }
    return std::move(plan_);
  }

 private:
  bool one_in(std::uint64_t many) { return random_.below(many) == 0; }

  void add(bool has_parent) {
    Strike strike{.at_ms = at_ms_, .target = target(has_parent), .id = 0, .deed = Deed::stop};
    if (strike.target != Target::parent) strike.id = random_.below(CampaignRun::peers);
    strike.deed = one_in(3) ? Deed::stop : one_in(3) ? Deed::terminate : Deed::kill;
    if (strike.deed == Deed::stop) strike.stop_ms = stop_ms(strike);
    const bool costs_a_peer = strike.is_long() || (strike.target == Target::peer && strike.ends_its_target());
    if (plan_.run.drops && strike.target != Target::parent && costs_a_peer && !may_be_lost(strike.id)) return;
    if (strike.target == Target::program && strike.ends_its_target()) ++ended_programs_;
    plan_.strikes.push_back(strike);
  }

  Target target(bool has_parent) {
    // The third program in a row that ends at the same question ends the run.
    if (plan_.run.has_programs && ended_programs_ < 2 && one_in(2)) return Target::program;
    return has_parent && one_in(6) ? Target::parent : Target::peer;
  }

  /// Under policy "wait" a peer that is silent for too long ends the run, as it should; the campaign is about
  /// what does not.
  int stop_ms(const Strike& strike) {
    const bool may_be_long =
        strike.target == Target::program || (plan_.run.drops && strike.target == Target::peer);
    return may_be_long && one_in(3) ? long_stop_ms
                                    : 1 + static_cast<int>(random_.below(longest_short_stop_ms));
  }

  /// Under policy "drop" at least two peers stay, which neighbors of a ring of four always are to somebody.
  bool may_be_lost(std::size_t id) {
    if (!lost_.contains(id) && lost_.size() + 2 >= CampaignRun::peers) return false;
    lost_.insert(id);
    return true;
  }

  RandomStream random_;
  CampaignPlan plan_;
  int at_ms_ = 0;
  std::size_t ended_programs_ = 0;
  std::set<std::size_t> lost_;
};

}  // namespace

CampaignPlan plan_on_one_machine(std::uint64_t seed) {
  return Drawer(seed, 0).plan(runs_of_one_machine(), true);
}

CampaignPlan plan_on_hosts(std::uint64_t seed) { return Drawer(seed, 1).plan(runs_of_hosts(), false); }

std::string algorithm_of(const CampaignRun& run) {
  std::string text = "kind = \"" + run.method + "\"\nstep_size = 0.01\n";
  if (run.has_programs) text += "batch = 4\n[model]\nanswer_within = \"1 s\"\n";
  return text;
}

std::string failure_of(const CampaignRun& run) {
  std::string text = "lost_after = \"1 s\"\n";
  text += run.drops ? "policy = \"drop\"\n" : "checkpoint_every = 7\n";
  if (run.has_standby) text += "hub_standby = 1\n";
  return text;
}

std::string run_file_of(const CampaignRun& run) {
  std::string text = "[run]\niterations = " + std::to_string(campaign_iterations) +
                     "\nevaluate_every = 10\n[network]\ncompute = \"3 ms\"\n[algorithm]\n" +
                     algorithm_of(run);
  if (!run.has_programs) text += "[data]\nsource = \"synthetic(samples=96, features=20, classes=3)\"\n";
  text += "[failure]\n" + failure_of(run) + "[topology]\n";
  if (run.has_standby) text += "hub = \"dedicated\"\n";
  return text;
}

std::string to_text(const Strike& strike) {
  static const std::vector<std::string> deeds = {"kill", "SIGTERM to", "stop"};
  static const std::vector<std::string> targets = {"peer", "the program of peer", "the parent"};
  std::string text = "after " + std::to_string(strike.at_ms) + " ms " +
                     deeds[static_cast<std::size_t>(strike.deed)] + " " +
                     targets[static_cast<std::size_t>(strike.target)];
  if (strike.target != Target::parent) text += " " + std::to_string(strike.id);
  if (strike.deed == Deed::stop) text += " for " + std::to_string(strike.stop_ms) + " ms";
  return text;
}

std::string to_text(const CampaignPlan& plan) {
  std::string text = plan.run.method + " on a " + plan.run.topology + (plan.run.drops ? ", drop" : ", wait") +
                     (plan.run.has_standby ? ", standby" : "") + (plan.run.has_programs ? ", programs" : "");
  for (const Strike& strike : plan.strikes) text += "; " + to_text(strike);
  return text;
}

}  // namespace hearsay::test

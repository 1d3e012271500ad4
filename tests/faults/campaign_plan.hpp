#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hearsay::test {

// What a campaign is: a run, and what is done to its processes. All of it is drawn from a seed beforehand.

/// The run that a campaign disturbs.
struct CampaignRun {
  std::string method;
  std::string topology = "ring";  ///< "star": peer 0 is a hub
  bool drops = false;             ///< failure.policy = "drop"; else the run has checkpoints
  bool has_standby = false;       ///< peer 1 stands by for a dedicated hub
  bool has_programs = false;      ///< a program beside each peer

  static constexpr std::size_t peers = 4;
  bool has_hub() const { return topology == "star"; }
};

inline constexpr int campaign_iterations = 100;
inline constexpr std::size_t campaign_evaluations = 11;  // iterations 0, 10, ..., 100
inline constexpr int lost_after_ms = 1000;
/// A peer is lost after twice failure.lost_after at the latest, however silent it was before.
inline constexpr int long_stop_ms = 2 * lost_after_ms + 500;
inline constexpr int longest_short_stop_ms = lost_after_ms / 2;

enum class Target {
  peer,     ///< the process of peer `id`; the hub is peer 0
  program,  ///< the program of peer `id`
  parent,   ///< `hearsay run`
};

enum class Deed {
  kill,       ///< SIGKILL
  terminate,  ///< SIGTERM
  stop,       ///< SIGSTOP, and SIGCONT after `stop_ms`
};

struct Strike {
  int at_ms;  ///< after the start of the run
  Target target;
  std::size_t id;
  Deed deed;
  int stop_ms = 0;

  bool ends_its_target() const { return deed != Deed::stop; }
  bool is_long() const { return deed == Deed::stop && stop_ms == long_stop_ms; }
};

struct CampaignPlan {
  CampaignRun run;
  std::vector<Strike> strikes;  ///< by time
};

/// Returns a campaign against `hearsay run`: its peers, their programs, and itself.
CampaignPlan plan_on_one_machine(std::uint64_t seed);
/// Returns a campaign against processes of `hearsay peer`, each started on its own, and their programs.
CampaignPlan plan_on_hosts(std::uint64_t seed);

/// Return the keys of [algorithm], and of [model] behind them; and those of [failure].
std::string algorithm_of(const CampaignRun& run);
std::string failure_of(const CampaignRun& run);
/// Returns the run file, without a topology file.
std::string run_file_of(const CampaignRun& run);
std::string to_text(const Strike& strike);
std::string to_text(const CampaignPlan& plan);

}  // namespace hearsay::test

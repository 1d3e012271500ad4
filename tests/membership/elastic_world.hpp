#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/membership/view_agreement.hpp"
#include "runtime/simulator/timetable.hpp"

namespace hearsay::test {

/// How bad the world is before it calms down.
struct Trouble {
  double loss = 0.1;    ///< of words
  double repeat = 0.1;  ///< of words that come twice
  int crashes = 4;
  int cuts = 3;
  int standstills = 2;
  int joiners = 2;
  int leavers = 1;
  /// Somebody sees it and tells all if a process ends, and its record with it. Then nobody joins.
  bool ends_are_seen = false;
};

/// Members that form sums together, and agree on views: in virtual time, in which they are lost, cut off,
/// suspended, started anew and joined by others. All decisions are the product's. The sums are as simple as
/// sums can be: every member says again and again which one it is at.
class ElasticWorld {
 public:
  ElasticWorld(std::uint64_t seed, PeerId members, const Trouble& trouble);

  /// Lets the trouble happen, and then a calm in which nothing is lost. Returns what is wrong then.
  std::vector<std::string> run();

  /// True if a majority of the last view was alive when the calm began, and some member of it had its state.
  bool goes_on() const { return goes_on_; }
  std::uint32_t views() const { return decisions_.empty() ? 0 : decisions_.rbegin()->first; }

  // How often it happened.
  std::uint64_t sums_taken_back = 0;
  std::uint64_t crashed = 0;
  std::uint64_t joined = 0;
  std::uint64_t left = 0;

 private:
  /// For each sum that a member has: the members whose parts are in it.
  using History = std::vector<std::vector<PeerId>>;
  struct Process {
    Member self;
    std::optional<ViewAgreement> agreement = {};  // none while the process waits to become a member
    membership::Presence presence = membership::Presence::stays;
    History history = {};
    std::map<PeerId, std::uint64_t> heard_sum = {};  // the sum that each member is at, in this view
    std::optional<PeerId> donor = {};                // has what this process lacks
    bool is_asked_to_leave = false;
  };
  struct Place {
    std::optional<Process> process;
    std::optional<ViewAgreement::Record> record;  // on disk
    Instant down_since{};
    Instant still_since{}, still_until{};
  };
  struct Cut {
    PeerId a, b;
    Instant from, until;
  };

  void plan();
  void crash(PeerId id, Duration down_for, bool keeps_disk);
  void start(PeerId id);
  void begin_to_join(PeerId id);
  void look(PeerId id);
  void leave(PeerId id);
  void look_around(PeerId id, Process& process);
  void ask_to_join(PeerId id, const Process& process);
  bool seems_lost(PeerId observer, const Member& member) const;
  void form_sum(Process& process);
  void catch_up(PeerId id, Process& process);
  void carry_out(PeerId id);
  void adopt(PeerId id, const membership::Decision& decision);
  void hear(PeerId id, const Member& from, const membership::Letter& letter);
  /// Carries a word, which may be lost, late or repeated. `hears(process)` is called where it arrives.
  template <class Hears>
  void carry(PeerId from, PeerId to, const Hears& hears);
  bool is_cut(PeerId a, PeerId b, Instant when) const;
  bool is_calm() const;
  bool lives(const Member& member) const;
  std::vector<PeerId> gone_of(const View& view) const;
  bool is_member_of(const View& view, const Place& place) const;
  std::vector<PeerId> living_members(const View& view) const;
  const View& newest_view() const;
  void foresee();
  void judge();
  bool chance(double probability) { return random_.uniform() < probability; }
  Duration within(Duration longest) {
    return Duration(random_.below(static_cast<std::uint64_t>(longest.count())));
  }
  PeerId somebody() { return static_cast<PeerId>(random_.below(places_.size())); }

  Trouble trouble_;
  RandomStream random_;
  Timetable time_;
  View first_view_;
  std::vector<Place> places_;
  std::vector<Cut> cuts_;
  struct Known {
    membership::Decision decision;
    std::vector<Member> by;  // members that know it
  };
  std::map<std::uint32_t, std::vector<Known>> decisions_;  // of a view; one unless something is wrong
  std::set<Member> gone_;                                  // for good, which all know
  std::uint32_t next_incarnation_ = 100;
  bool goes_on_ = false;
  std::size_t sums_before_calm_ = 0;
  std::vector<std::string> wrong_;
};

}  // namespace hearsay::test

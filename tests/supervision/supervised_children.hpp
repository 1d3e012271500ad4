#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/supervision/supervisor.hpp"

namespace hearsay::test {

/// Children without processes: does what a supervisor decides, as a table, and checks that it can be done.
struct SupervisedChildren {
  struct Process {
    bool is_there = false;
    bool stands_still = false;
    bool knows_addresses = false;
    bool resumes = false;
  };

  SupervisedChildren(Supervisor::Terms terms, PeerId children, std::optional<PeerId> absent = {})
      : supervisor(terms, notice), processes(children) {
    for (PeerId id = 0; id < children; ++id) {
      processes[id].is_there = id != absent;
      id == absent ? supervisor.add_absent(address_of(id)) : supervisor.add_child("tcp://127.0.0.1:*");
    }
  }

  static std::string address_of(PeerId id) { return "tcp://127.0.0.1:" + std::to_string(100 + id); }

  /// All that are to come say their address, are told those of all, and the run begins.
  void start() {
    for (PeerId id = 0; id < processes.size(); ++id)
      if (supervisor.awaits_address_of(id)) hear(id, address_of(id));
    tell();
    supervisor.note_start();
  }
  void tell() {
    supervisor.tell_addresses("tcp://127.0.0.1:99");
    carry_out();
  }
  void hear(PeerId id, const std::string& text) {
    supervisor.hear(id, text);
    carry_out();
  }
  /// The child says `reason`, or nothing, and ends so.
  void end(PeerId id, const std::string& reason, std::optional<ProcessEnd> how) {
    ends_as = how;
    hear(id, reason);
  }
  void end_from_outside(PeerId id) { end(id, "", ProcessEnd{ProcessEnd::By::outside, 9}); }

  void carry_out() {
    while (const auto decision = supervisor.next_decision())
      std::visit([this](const auto& decided) { on(decided); }, *decision);
  }
  void on(const Supervisor::Start& start) {
    Process& process = processes[start.id];
    REQUIRE_FALSE(process.is_there);
    REQUIRE(can_start);
    if (refuses_starts) return supervisor.note_not_started(start.id);
    process = {.is_there = true, .resumes = start.resumes};
    done.push_back("start " + std::to_string(start.id) + (start.resumes ? " from its checkpoint" : ""));
    supervisor.note_started(start.id);
  }
  void on(const Supervisor::End& end) {
    REQUIRE(processes[end.id].is_there);
    processes[end.id] = {};
    done.push_back("end " + std::to_string(end.id));
    supervisor.note_end(end.id, ProcessEnd{ProcessEnd::By::outside, 9});
  }
  void on(const Supervisor::AwaitEnd& await) {
    REQUIRE(processes[await.id].is_there);
    processes[await.id] = {};
    supervisor.note_end(await.id, ends_as);
  }
  void on(const Supervisor::Freeze& freeze) {
    REQUIRE(processes[freeze.id].is_there);
    REQUIRE_FALSE(processes[freeze.id].stands_still);
    processes[freeze.id].stands_still = true;
  }
  void on(const Supervisor::Thaw& thaw) {
    REQUIRE(processes[thaw.id].stands_still);
    processes[thaw.id].stands_still = false;
  }
  void on(const Supervisor::TellAddresses& tell) {
    REQUIRE(processes[tell.id].is_there);
    REQUIRE_FALSE(supervisor.addresses().empty());
    processes[tell.id].knows_addresses = true;
  }
  void on(const Supervisor::Refuse& refuse) { refusal = refuse.why; }

  std::vector<std::string> news;
  Notice notice = [this](const std::string& sentence) { news.push_back(sentence); };
  Supervisor supervisor;
  std::vector<Process> processes;
  std::optional<ProcessEnd> ends_as;  // the next child that goes by itself
  bool can_start = true;              // a start may be asked for
  bool refuses_starts = false;
  std::vector<std::string> done;
  std::string refusal;
};

}  // namespace hearsay::test

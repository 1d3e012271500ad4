#include "tests/faults/campaign_processes.hpp"

#include <algorithm>
#include <ios>
#include <string>

#include "tests/faults/local_peers.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test {

namespace {

std::string file_of(pid_t process, const std::string& name) {
  try {
    return content_of("/proc/" + std::to_string(process) + "/" + name);
  } catch (const std::ios_base::failure&) {  // the process ended while its file was read
    return {};
  }
}

bool is_hearsay(pid_t process) { return file_of(process, "comm") == "hearsay\n"; }

std::vector<pid_t> descendants_of(pid_t process) {
  std::vector<pid_t> found = children_of(process);
  for (std::size_t k = 0; k < found.size(); ++k)
    for (const pid_t child : children_of(found[k])) found.push_back(child);
  return found;
}

}  // namespace

bool lives(pid_t process) {
  const std::string state = file_of(process, "stat");  // "4711 (name) S ..."; Z: it has ended
  const std::size_t end_of_name = state.rfind(')');
  return end_of_name != state.npos && state.compare(end_of_name, 3, ") Z") != 0;
}

std::optional<pid_t> program_under(pid_t ancestor, std::size_t id) {
  const std::string mark = "HEARSAY_ID=" + std::to_string(id);
  for (const pid_t process : descendants_of(ancestor))
    if (!is_hearsay(process) && file_of(process, "environ").find(mark + '\0') != std::string::npos)
      return process;
  return std::nullopt;
}

void CampaignProcesses::look() {
  // What was a copy of its parent for a moment may have become a program.
  std::erase_if(forked_, [&](pid_t child) {
    const bool is_program = lives(child) && !is_hearsay(child);
    if (is_program) programs_.insert(child);
    return is_program;
  });
  for (const pid_t child : children_of(parent_)) {
    if (std::ranges::find(forked_, child) != forked_.end() || programs_.contains(child)) continue;
    if (!is_hearsay(child)) {
      programs_.insert(child);
      continue;
    }
    // A program is a copy of its parent for a moment. All are there before the first peer is.
    const bool may_become_program =
        run_.has_programs && !forked_.empty() && programs_.size() < CampaignRun::peers;
    if (!may_become_program) forked_.push_back(child);
  }
}

std::optional<pid_t> CampaignProcesses::peer(std::size_t id) const {
  // Before the peers come the process that copies what programs print, and the one that starts peers anew.
  const std::size_t copier = run_.has_programs ? 1 : 0;
  const std::size_t first = copier + (run_.drops ? 0 : 1);
  if (first + id >= forked_.size()) return std::nullopt;
  if (lives(forked_[first + id])) return forked_[first + id];
  if (run_.drops) return std::nullopt;
  for (const pid_t returned : children_of(forked_[copier]))
    if (has_open(returned, "log-" + std::to_string(id) + "-")) return returned;
  return std::nullopt;
}

}  // namespace hearsay::test

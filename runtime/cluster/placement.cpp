#include "runtime/cluster/placement.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include "runtime/cluster/address.hpp"
#include "runtime/cluster/name_range.hpp"
#include "runtime/toml/setting.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t default_port = 7000;
constexpr std::uint64_t last_port = 65535;

/// Returns a variable's value; null if the variable is not set, or empty.
const std::string* find(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() || found->second.empty() ? nullptr : &found->second;
}

[[noreturn]] void refuse(const Environment& environment, const std::string& name,
                         const std::string& expectation) {
  const std::string* const value = find(environment, name);
  throw Misuse(name, value ? toml_text(*value) : "(not set)", "expected " + expectation);
}

std::uint64_t whole(const Environment& environment, const std::string& name) {
  const std::string* const value = find(environment, name);
  std::uint64_t number = 0;
  if (value == nullptr || !parse_whole(*value, number)) refuse(environment, name, "a whole number");
  return number;
}

/// Returns the name of the first variable that is set; `otherwise` if `name` is not.
std::string first_set(const Environment& environment, const std::string& name, const std::string& otherwise) {
  return find(environment, name) ? name : otherwise;
}

PeerId read_id(const Environment& environment, const std::string& name, PeerId peer_count) {
  std::string_view digits = *find(environment, name);
  const std::size_t dash = digits.rfind('-');
  if (name == "HEARSAY_ID" && dash != digits.npos && dash > 0) digits.remove_prefix(dash + 1);
  std::uint64_t id = 0;
  if (!parse_whole(digits, id))
    refuse(environment, name, "a peer's id, or a name that ends in it: hearsay-3");
  if (id >= peer_count)
    refuse(environment, name, "a peer's id, 0 to " + std::to_string(peer_count - 1) + ", of the topology");
  return static_cast<PeerId>(id);
}

std::string read_environment_address(const std::string& name, const std::string& address) {
  return read_address(Setting{name, {address, {std::make_shared<const std::string>(), 0}}});
}

std::vector<std::string> read_addresses(const Environment& environment, PeerId peer_count) {
  const std::string name = "HEARSAY_ADDRESSES";
  const std::vector<std::string> addresses = expand_list(name, *find(environment, name));
  if (addresses.size() != peer_count)
    refuse(environment, name,
           std::to_string(peer_count) + " addresses, one for each peer of the topology, not " +
               std::to_string(addresses.size()));
  for (const std::string& address : addresses) read_environment_address(name, address);
  std::vector<std::string> sorted = addresses;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    refuse(environment, name, "an address of its own for each peer, not " + *twice + " twice");
  return addresses;
}

/// A task of a job step.
struct SlurmTask {
  std::uint64_t node;
  std::uint64_t local;  ///< its number among the tasks of its node
};

/// Returns how many tasks each node has: 2 2 2 1 for "2(x3),1".
std::vector<std::uint64_t> tasks_per_node(const Environment& environment, const std::string& name,
                                          std::size_t nodes) {
  const auto bad = [&] { refuse(environment, name, "as Slurm writes it, such as 2(x3),1"); };
  if (!find(environment, name)) bad();
  std::string_view rest = *find(environment, name);
  std::vector<std::uint64_t> counts;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::size_t open = part.find("(x");
    std::uint64_t tasks = 0;
    std::uint64_t times = 1;
    if (!parse_whole(part.substr(0, open), tasks)) bad();
    if (open != part.npos &&
        (part.back() != ')' || !parse_whole(part.substr(open + 2, part.size() - open - 3), times)))
      bad();
    if (times > nodes - counts.size())
      refuse(environment, name, "as many nodes as the list of nodes names, " + std::to_string(nodes));
    counts.insert(counts.end(), times, tasks);
  }
  if (counts.size() != nodes)
    refuse(environment, name, "as many nodes as the list of nodes names, " + std::to_string(nodes));
  return counts;
}

/// Returns the tasks in the order of their ids. The sum of `counts` has to fit into memory.
std::vector<SlurmTask> distributed(const std::vector<std::uint64_t>& counts, bool cyclic) {
  std::vector<SlurmTask> tasks;
  if (!cyclic)
    for (std::uint64_t node = 0; node < counts.size(); ++node)
      for (std::uint64_t local = 0; local < counts[node]; ++local) tasks.push_back({node, local});
  const std::uint64_t most = counts.empty() ? 0 : std::ranges::max(counts);
  for (std::uint64_t local = 0; cyclic && local < most; ++local)
    for (std::uint64_t node = 0; node < counts.size(); ++node)
      if (local < counts[node]) tasks.push_back({node, local});
  return tasks;
}

void check_own_task(const Environment& environment, const std::vector<SlurmTask>& tasks) {
  const std::uint64_t id = whole(environment, "SLURM_PROCID");
  if (id >= tasks.size()) return;  // read_id refuses it
  for (const auto& [name, expected] : {std::pair<std::string, std::uint64_t>{"SLURM_NODEID", tasks[id].node},
                                       {"SLURM_LOCALID", tasks[id].local}})
    if (find(environment, name) && whole(environment, name) != expected)
      refuse(environment, name,
             std::to_string(expected) + " for task " + std::to_string(id) +
                 ": tasks must be distributed over the nodes by block or cyclic");
}

std::vector<std::string> slurm_addresses(const Environment& environment, PeerId peer_count) {
  const std::string nodes_name = first_set(environment, "SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST");
  const std::string tasks_name = first_set(environment, "SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE");
  if (!find(environment, nodes_name)) refuse(environment, nodes_name, "the names of the job's nodes");
  const std::vector<std::string> nodes = expand_list(nodes_name, *find(environment, nodes_name));
  const std::vector<std::uint64_t> counts = tasks_per_node(environment, tasks_name, nodes.size());
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) {
    total += std::min<std::uint64_t>(count, last_port);
    if (total > peer_count) break;
  }
  if (total != peer_count)
    refuse(environment, tasks_name,
           std::to_string(peer_count) + " tasks, one for each peer of the topology: srun -n " +
               std::to_string(peer_count));
  const std::string* const distribution = find(environment, "SLURM_DISTRIBUTION");
  const std::vector<SlurmTask> tasks =
      distributed(counts, distribution && distribution->starts_with("cyclic"));
  check_own_task(environment, tasks);

  const std::uint64_t port =
      find(environment, "HEARSAY_PORT") ? whole(environment, "HEARSAY_PORT") : default_port;
  if (port < 2 || port + std::ranges::max(counts) - 1 > last_port)
    refuse(environment, "HEARSAY_PORT", "a port from 2 on, with room for the peers of a node up to 65535");
  std::vector<std::string> addresses;
  for (const SlurmTask& task : tasks)
    addresses.push_back(read_environment_address(
        nodes_name, "tcp://" + nodes[task.node] + ":" + std::to_string(port + task.local)));
  return addresses;
}

}  // namespace

Placement placement_from(const Environment& environment, PeerId peer_count, bool topology_has_addresses) {
  Placement place;
  const bool slurm = find(environment, "SLURM_PROCID") != nullptr;
  if (find(environment, "HEARSAY_ID"))
    place.id = read_id(environment, "HEARSAY_ID", peer_count);
  else if (slurm)
    place.id = read_id(environment, "SLURM_PROCID", peer_count);
  if (find(environment, "HEARSAY_ADDRESSES"))
    place.addresses = read_addresses(environment, peer_count);
  else if (slurm && !topology_has_addresses)
    place.addresses = slurm_addresses(environment, peer_count);
  if (const std::string* const observer = find(environment, "HEARSAY_OBSERVER"))
    place.observer = read_environment_address("HEARSAY_OBSERVER", *observer);
  if (const std::string* const bind = find(environment, "HEARSAY_BIND")) place.bind = *bind;
  return place;
}

}  // namespace hearsay

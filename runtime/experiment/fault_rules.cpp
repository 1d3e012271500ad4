#include "runtime/experiment/fault_rules.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "runtime/wire/frame.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// Throws Misuse if a peer is to join that cannot.
void check_joining(const std::vector<PeerId>& peers, const char* key, const std::string& value,
                   const MethodInfo& method) {
  const std::string remedy =
      "; expected a kill for good, without \"for\", or failure.checkpoint_every, from which it comes back";
  if (!method.may_be_joined)
    throw Misuse(key, value,
                 method.name + " cannot be joined: what its peers keep is more than a model" + remedy);
  if (std::ranges::binary_search(peers, observer_peer))
    throw Misuse(key, value, "peer 0 cannot join anew, since it keeps the record of the run" + remedy);
}

}  // namespace

void check_faults(const RunSettings& settings, const MethodInfo& method) {
  if (settings.faults.empty()) return;
  if (settings.shapes_evaluations())
    throw Misuse("network.evaluations", "shaped",
                 "the faults of [[fault]] do not reach shaped evaluations; expected \"free\"");
  const bool joins = settings.failure.drops() && !settings.failure.keeps_checkpoints();
  for (const FaultTable& table : settings.faults) {
    if (const auto* const random = std::get_if<RandomKills>(&table)) {
      if (joins && random->lasts) check_joining({}, "fault.for", to_text(*random->lasts), method);
      continue;
    }
    const auto& fault = std::get<Fault>(table);
    if (fault.kind == Fault::Kind::rejoin && !settings.failure.drops())
      throw Misuse(
          "fault.kind", "rejoin",
          "under failure.policy = \"wait\" no peer joins a run that goes on; expected failure.policy "
          "= \"drop\", or a kill with a time \"for\" which the process is gone");
    if (fault.kind == Fault::Kind::rejoin && joins)
      check_joining(fault.peers, "fault.kind", "rejoin", method);
    if (fault.kind == Fault::Kind::death && joins && fault.lasts)
      check_joining(fault.peers, "fault.for", to_text(*fault.lasts), method);
  }
}

void require_no_faults(const RunSettings& settings, const char* driver) {
  if (!settings.faults.empty())
    throw Misuse(
        "fault", std::to_string(settings.faults.size()) + " tables",
        std::string("faults happen in `hearsay run` and `hearsay simulate`; expected none in ") + driver);
}

}  // namespace hearsay

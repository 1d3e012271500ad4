#include "runtime/experiment/fault_rules.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

void check_faults(const RunSettings& settings) {
  if (settings.faults.empty()) return;
  if (settings.shapes_evaluations())
    throw Misuse("network.evaluations", "shaped",
                 "the faults of [[fault]] do not reach shaped evaluations; expected \"free\"");
  const bool rejoins = std::ranges::any_of(settings.faults, [](const FaultTable& table) {
    const auto* const fault = std::get_if<Fault>(&table);
    return fault && fault->kind == Fault::Kind::rejoin;
  });
  if (rejoins && !settings.failure.drops())
    throw Misuse(
        "fault.kind", "rejoin",
        "under failure.policy = \"wait\" no peer joins a run that goes on; expected failure.policy = "
        "\"drop\", or a kill with a time \"for\" which the process is gone");
}

void require_no_faults(const RunSettings& settings, const char* driver) {
  if (!settings.faults.empty())
    throw Misuse(
        "fault", std::to_string(settings.faults.size()) + " tables",
        std::string("faults happen in `hearsay run` and `hearsay simulate`; expected none in ") + driver);
}

}  // namespace hearsay

#include "runtime/settings/evaluate_every.hpp"

#include <string>
#include <variant>

#include "runtime/foundation/units.hpp"
#include "runtime/toml/document.hpp"

namespace hearsay {

std::string evaluate_every_text(const RunSettings::Run& run) {
  return run.evaluates_by_time() ? toml_text(to_text(run.evaluate_period))
                                 : std::to_string(run.evaluate_every);
}

void read_evaluate_every(const Setting& setting, const std::filesystem::path&, RunSettings::Run& to) {
  if (!std::holds_alternative<std::string>(setting.value.data)) return to.evaluate_after(setting.count(1));
  const Duration period = setting.duration();
  if (period <= Duration{0}) setting.refuse("a number of iterations, or a time above 0");
  to.evaluate_every = 1;
  to.evaluate_period = period;
}

}  // namespace hearsay

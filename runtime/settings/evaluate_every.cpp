#include "runtime/settings/evaluate_every.hpp"

#include <algorithm>
#include <cctype>
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
  const std::string expected = "a number of iterations from 1 on, or a time above 0, such as \"30 s\"";
  if (const auto* const whole = std::get_if<std::int64_t>(&setting.value.data); whole && *whole >= 1)
    return to.evaluate_after(static_cast<std::uint64_t>(*whole));
  const auto* const text = std::get_if<std::string>(&setting.value.data);
  const bool has_a_unit =
      text && std::ranges::any_of(*text, [](unsigned char c) { return std::isalpha(c) != 0; });
  const Duration period = has_a_unit ? setting.duration() : Duration{0};
  if (period <= Duration{0}) setting.refuse(expected);
  to.evaluate_every = 1;
  to.evaluate_period = period;
}

}  // namespace hearsay

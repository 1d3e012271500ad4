#include "runtime/settings/former_keys.hpp"

#include <string>

#include "algorithms/methods/artemis.hpp"
#include "algorithms/methods/demo.hpp"
#include "algorithms/methods/gas_loc.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// Returns the options that algorithm.form once was.
std::vector<const TextOption*> parts_of_form() {
  return {&option::order, &option::signs, &option::memories, &option::mixes};
}

/// Returns what a value of algorithm.form is called now.
std::string renamed(const std::string& form) {
  if (form == "mixed") return "momentum";
  if (form == "published") return "models";
  return form;
}

std::string sentence_on_form(const Setting& form, const std::string& kind) {
  std::string names;
  for (const TextOption* const row : parts_of_form())
    names += (names.empty() ? "algorithm." : ", algorithm.") + row->name;
  if (kind.empty()) return "is now four keys (" + names + "); expected the one that the method reads";
  const MethodInfo& method = find_method(kind);
  const auto* const value = std::get_if<std::string>(&form.value.data);
  for (const TextOption* const row : parts_of_form())
    if (method.options.has(*row))
      return "is now algorithm." + row->name + " for " + method.name + "; expected algorithm." + row->name +
             " = " + toml_text(value ? renamed(*value) : method.options[*row]);
  return "is now four keys (" + names + "), and " + method.name + " reads none of them; leave it out";
}

}  // namespace

void refuse_former_keys(const std::vector<Setting>& settings, const std::string& kind) {
  for (const Setting& setting : settings)
    if (setting.key == "algorithm.form")
      throw Misuse(setting.label() + ": " + sentence_on_form(setting, kind));
}

}  // namespace hearsay

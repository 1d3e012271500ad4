#include "algorithms/methods/registry.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "algorithms/methods/ad_psgd.hpp"
#include "algorithms/methods/allreduce_sgd.hpp"
#include "algorithms/methods/artemis.hpp"
#include "algorithms/methods/beer.hpp"
#include "algorithms/methods/c_gt.hpp"
#include "algorithms/methods/cedas.hpp"
#include "algorithms/methods/chb.hpp"
#include "algorithms/methods/choco_gossip.hpp"
#include "algorithms/methods/choco_sgd.hpp"
#include "algorithms/methods/comp_ams.hpp"
#include "algorithms/methods/d2.hpp"
#include "algorithms/methods/d_psgd.hpp"
#include "algorithms/methods/dcd_psgd.hpp"
#include "algorithms/methods/decentlam.hpp"
#include "algorithms/methods/deep_squeeze.hpp"
#include "algorithms/methods/demo.hpp"
#include "algorithms/methods/dore.hpp"
#include "algorithms/methods/double_squeeze.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/dspg.hpp"
#include "algorithms/methods/ecd_psgd.hpp"
#include "algorithms/methods/econtrol.hpp"
#include "algorithms/methods/ef21.hpp"
#include "algorithms/methods/extra.hpp"
#include "algorithms/methods/fed_avg.hpp"
#include "algorithms/methods/fed_vote.hpp"
#include "algorithms/methods/gas_loc.hpp"
#include "algorithms/methods/gen_qsgd.hpp"
#include "algorithms/methods/gradient_tracking.hpp"
#include "algorithms/methods/k_gt.hpp"
#include "algorithms/methods/led.hpp"
#include "algorithms/methods/lgc.hpp"
#include "algorithms/methods/lgc_ring.hpp"
#include "algorithms/methods/local_sgd.hpp"
#include "algorithms/methods/mcm.hpp"
#include "algorithms/methods/moniqua.hpp"
#include "algorithms/methods/naive.hpp"
#include "algorithms/methods/nids.hpp"
#include "algorithms/methods/noloco.hpp"
#include "algorithms/methods/one_bit_adam.hpp"
#include "algorithms/methods/own_methods.hpp"
#include "algorithms/methods/power_gossip.hpp"
#include "algorithms/methods/powersgd.hpp"
#include "algorithms/methods/predictive_coding.hpp"
#include "algorithms/methods/qg_momentum.hpp"
#include "algorithms/methods/qsgd_allreduce.hpp"
#include "algorithms/methods/quantized_adagrad.hpp"
#include "algorithms/methods/rand_mcm.hpp"
#include "algorithms/methods/scaffold.hpp"
#include "algorithms/methods/sgp.hpp"
#include "algorithms/methods/sparse_loco.hpp"
#include "algorithms/methods/streaming_diloco.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

std::span<const MethodInfo> methods() {
  static const std::array all = {
      allreduce_sgd_info(),
      d_psgd_info(),
      naive_info(),
      dcd_psgd_info(),
      ecd_psgd_info(),
      qsgd_allreduce_info(),
      choco_sgd_info(),
      cedas_info(),
      beer_info(),
      c_gt_info(),
      deep_squeeze_info(),
      moniqua_info(),
      power_gossip_info(),
      choco_gossip_info(),
      dspg_info(),
      dpsvrg_info(),
      d2_info(),
      gradient_tracking_info(),
      sgp_info(),
      qg_momentum_info(),
      decentlam_info(),
      ad_psgd_info(),
      local_sgd_info(),
      diloco_info(),
      slowmo_info(),
      gas_loc_info(),
      noloco_info(),
      streaming_diloco_info(),
      sparse_loco_info(),
      demo_info(),
      powersgd_info(),
      k_gt_info(),
      led_info(),
      nids_info(),
      extra_info(),
      fed_avg_info(),
      fed_paq_info(),
      fed_prox_info(),
      scaffold_info(),
      gen_qsgd_info(),
      artemis_info(),
      diana_info(),
      dore_info(),
      mcm_info(),
      rand_mcm_info(),
      double_squeeze_info(),
      neolithic_info(),
      ef21_info(),
      ef21_bc_info(),
      cd_adam_info(),
      econtrol_info(),
      comp_ams_info(),
      one_bit_adam_info(),
      qcmd_adagrad_info(),
      qrda_adagrad_info(),
      chb_info(),
      fed_vote_info(),
      lgc_info(),
      predictive_coding_info(),
      lgc_ring_info(),
  };
  return all;
}

namespace {

/// The methods that callers have added. A deque: references to them stay valid.
std::deque<MethodInfo>& own_methods() {
  static std::deque<MethodInfo> own;
  return own;
}

std::vector<std::string> names_of(const MethodInfo& method) {
  std::vector<std::string> names = method.aliases;
  names.insert(names.begin(), method.name);
  return names;
}

/// Returns the method with this name or alias; null if there is none. `known` then has all names.
const MethodInfo* method_called(const std::string& name, std::vector<std::string>& known) {
  const auto is_called = [&](const MethodInfo& method) {
    const std::vector<std::string> names = names_of(method);
    known.insert(known.end(), names.begin(), names.end());
    return std::ranges::find(names, name) != names.end();
  };
  for (const MethodInfo& method : methods())
    if (is_called(method)) return &method;
  for (const MethodInfo& method : own_methods())
    if (is_called(method)) return &method;
  return nullptr;
}

}  // namespace

const MethodInfo& find_method(const std::string& name) {
  std::vector<std::string> known;
  if (const MethodInfo* method = method_called(name, known)) return *method;
  throw Misuse("algorithm.kind", name, "no such method" + did_you_mean(name, known));
}

void add_method(MethodInfo method) {
  for (const std::string& name : names_of(method)) {
    std::vector<std::string> known;
    if (method_called(name, known))
      throw Misuse("algorithm.kind", name, "a method is called so already; expected another name");
  }
  own_methods().push_back(std::move(method));
}

std::string methods_that(const std::function<bool(const MethodInfo&)>& property) {
  std::string names;
  for (const MethodInfo& method : methods())
    if (property(method)) names += (names.empty() ? "" : ", ") + method.name;
  return names;
}

namespace {

/// Refuses a form of another method, and chooses the form if the user did not.
void settle_form(const MethodOptions& set, const MethodInfo& method, MethodOptions& resolved) {
  const auto knows = [&](const std::string& form) {
    return std::ranges::find(method.forms, form) != method.forms.end();
  };
  if (set.form && !knows(*set.form)) {
    std::string known;
    for (const std::string& form : method.forms) known += (known.empty() ? "\"" : "\" or \"") + form;
    throw Misuse("algorithm.form", *set.form, "no form of " + method.name + "; expected " + known + "\"");
  }
  if (!set.form && knows("adapt-then-combine") && resolved.local_steps.value_or(1) > 1)
    resolved.form = "adapt-then-combine";
}

}  // namespace

MethodOptions resolved_options(const MethodOptions& set, const MethodInfo& method) {
  MethodOptions resolved = method.options;
  for (const OptionKey& key : option_keys()) {
    if (!key.set_in(set)) continue;
    if (!key.set_in(method.options))
      throw Misuse("algorithm." + key.name, key.text(set),
                   method.name + " does not read it; leave it out (those that do: " +
                       methods_that([&](const MethodInfo& reader) { return key.set_in(reader.options); }) +
                       ")");
    key.copy(set, resolved);
  }
  settle_form(set, method, resolved);
  if (!method.unread_options) return resolved;
  const UnreadOptions unread = method.unread_options(resolved);
  for (const OptionKey& key : option_keys()) {
    if (std::ranges::find(unread.names, key.name) == unread.names.end()) continue;
    if (key.set_in(set))
      throw Misuse("algorithm." + key.name, key.text(set),
                   method.name + " with " + unread.because_of + " does not read it; leave it out");
    key.copy({}, resolved);
  }
  return resolved;
}

}  // namespace hearsay

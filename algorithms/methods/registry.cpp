#include "algorithms/methods/registry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

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
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/power_gossip.hpp"
#include "algorithms/methods/powersgd.hpp"
#include "algorithms/methods/predictive_coding.hpp"
#include "algorithms/methods/qg_momentum.hpp"
#include "algorithms/methods/qsgd_allreduce.hpp"
#include "algorithms/methods/quantized_adagrad.hpp"
#include "algorithms/methods/scaffold.hpp"
#include "algorithms/methods/sgp.hpp"
#include "algorithms/methods/sparse_loco.hpp"
#include "algorithms/methods/streaming_diloco.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

/// All methods. A deque: references to them stay valid if callers add some.
std::deque<MethodInfo>& all_methods() {
  static std::deque<MethodInfo> all = {
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

/// How many of all methods are the library's: those that were there first.
std::size_t library_count() {
  static const std::size_t count = all_methods().size();
  return count;
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
  return nullptr;
}

/// Throws Misuse for a row whose name is that of another key of [algorithm].
void require_free_name(const OptionRow& row) {
  constexpr std::array keys_of_all = {"kind",    "compressor", "step_size", "step_schedule",
                                      "warm_up", "batch",      "clip",      "allow_unsound"};
  const auto has_its_name = [&](const OptionRow* other) { return other != &row && other->name == row.name; };
  if (std::ranges::find(keys_of_all, row.name) != keys_of_all.end() ||
      std::ranges::any_of(option_rows(), has_its_name))
    throw Misuse("algorithm." + row.name, "an option",
                 "there is another key of that name; expected its row (hearsay::option), or another name");
}

}  // namespace

const std::deque<MethodInfo>& methods() { return all_methods(); }

const MethodInfo& find_method(const std::string& name) {
  std::vector<std::string> known;
  if (const MethodInfo* method = method_called(name, known)) return *method;
  throw Misuse("algorithm.kind", name, "no such method" + did_you_mean(name, known));
}

const MethodInfo* method_named(const std::string& name) {
  std::vector<std::string> known;
  return method_called(name, known);
}

void add_method(MethodInfo method) {
  for (const std::string& name : names_of(method)) {
    std::vector<std::string> known;
    if (method_called(name, known))
      throw Misuse("algorithm.kind", name, "a method is called so already; expected another name");
  }
  library_count();  // before there are more
  for (const MethodOptions::Entry& option : method.options) require_free_name(*option.row);
  all_methods().push_back(std::move(method));
}

bool is_from_outside(const MethodInfo& method) {
  const auto ours = all_methods().begin() + static_cast<std::ptrdiff_t>(library_count());
  return std::any_of(ours, all_methods().end(),
                     [&](const MethodInfo& own) { return own.name == method.name; });
}

std::string methods_that(const std::function<bool(const MethodInfo&)>& property) {
  std::string names;
  for (const MethodInfo& method : methods())
    if (property(method)) names += (names.empty() ? "" : ", ") + method.name;
  return names;
}

std::vector<const OptionRow*> option_rows() {
  std::vector<const OptionRow*> rows;
  for (const MethodInfo& method : methods())
    for (const MethodOptions::Entry& option : method.options)
      if (std::ranges::find(rows, option.row) == rows.end()) rows.push_back(option.row);
  return rows;
}

std::string readers_of(const OptionRow& row) {
  return methods_that([&](const MethodInfo& method) { return method.options.has(row); });
}

namespace {

/// Refuses an order of another method, and chooses the order if the user did not.
void settle_order(const MethodOptions& set, const MethodInfo& method, MethodOptions& resolved) {
  const auto knows = [&](const std::string& order) {
    return std::ranges::find(method.orders, order) != method.orders.end();
  };
  if (const auto order = set.find(option::order); order && !knows(*order)) {
    std::string known;
    for (const std::string& own : method.orders) known += (known.empty() ? "\"" : "\" or \"") + own;
    throw Misuse("algorithm.order", *order, "no order of " + method.name + "; expected " + known + "\"");
  }
  if (!set.has(option::order) && knows("adapt-then-combine") &&
      resolved.find(option::local_steps).value_or(1) > 1)
    resolved.set(option::order, "adapt-then-combine");
}

}  // namespace

MethodOptions resolved_options(const MethodOptions& set, const MethodInfo& method) {
  MethodOptions resolved = method.options;
  for (const MethodOptions::Entry& option : set) {
    if (!method.options.has(*option.row))
      throw Misuse(
          "algorithm." + option.row->name, option.text(),
          method.name + " does not read it; leave it out (those that do: " + readers_of(*option.row) + ")");
    resolved.put(option);
  }
  settle_order(set, method, resolved);
  if (!method.unread_options) return resolved;
  const UnreadOptions unread = method.unread_options(resolved);
  for (const OptionRow* const row : unread.rows) {
    if (set.has(*row))
      throw Misuse("algorithm." + row->name, set.text(*row),
                   method.name + " with " + unread.because_of + " does not read it; leave it out");
    resolved.clear(*row);
  }
  return resolved;
}

}  // namespace hearsay

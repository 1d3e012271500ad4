#include "tools/manual/gallery.hpp"

#include <algorithm>
#include <set>

#include "algorithms/methods/registry.hpp"
#include "runtime/settings/sweep_settings.hpp"

namespace hearsay {

namespace {

/// Returns the names of the sweep's variants that run the method.
std::set<std::string> variants_with(const std::string& method, const Sweep& sweep) {
  std::set<std::string> variants;
  for (const SweepPoint& point : sweep.points)
    if (find_method(point.run.algorithm.kind).name == method) variants.insert(point.variant);
  return variants;
}

bool is_about(const SweepClaim& claim, const std::set<std::string>& variants) {
  return std::ranges::any_of(claim.ascending,
                             [&](const ClaimTerm& term) { return variants.contains(term.variant); }) ||
         std::ranges::any_of(claim.diverge,
                             [&](const std::string& variant) { return variants.contains(variant); });
}

}  // namespace

std::vector<GalleryEntry> gallery_of(const std::string& method) {
  std::vector<GalleryEntry> entries;
  for (const auto& [file, text] : gallery_texts) {
    std::string without_variables = text;  // of the environment, which need not be set to read the claims
    std::erase(without_variables, '$');
    const Sweep sweep = parse_sweep(without_variables, ".", {}, file);
    const std::set<std::string> variants = variants_with(method, sweep);
    GalleryEntry entry{file, sweep.title, {}, text.find("$HEARSAY_DATA_DIR") != std::string::npos};
    for (const SweepClaim& claim : sweep.claims)
      if (is_about(claim, variants)) entry.claims.push_back(claim.says);
    if (!entry.claims.empty()) entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace hearsay

#include "algorithms/compression/quantizers/level_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "topology/foundation/ensure.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// True if the levels, at most 1, ascend as floats, too. Levels that differ as doubles only would become
/// equal in a run with floats.
bool ascend_as_floats(const std::vector<double>& levels) {
  float below = 0.0f;
  for (const double level : levels) {
    if (!(level <= 1.0) || !(static_cast<float>(level) > below)) return false;
    below = static_cast<float>(level);
  }
  return true;
}

std::vector<double> parse_list(const Arguments& arguments) {
  std::vector<double> levels = arguments.list("levels");
  if (levels.front() == 0.0) levels.erase(levels.begin());
  const bool small = levels.size() <= static_cast<std::size_t>(LevelSet::most_others);
  if (levels.empty() || levels.back() != 1.0 || !small || !ascend_as_floats(levels) ||
      levels.front() < static_cast<double>(std::numeric_limits<float>::min()))
    arguments.refuse("levels",
                     "at most 127 positive levels, strictly ascending in single precision, the last 1");
  return levels;
}

}  // namespace

LevelSet LevelSet::parse(const Arguments& arguments) {
  const bool pow2 = arguments.flag("pow2");
  if (arguments.has("levels") && arguments.has("bits")) arguments.refuse("bits", "levels or bits, not both");
  if (!arguments.has("levels") && !arguments.has("bits")) arguments.refuse("levels", "levels= or bits=");
  if (arguments.text("levels").starts_with('{')) {
    if (pow2) arguments.refuse("levels", "a number of levels, as pow2 says which they are");
    return listed(parse_list(arguments));
  }
  const auto most = static_cast<std::uint64_t>(pow2 ? most_others : most_uniform);
  const auto count = arguments.count("levels", 1, most, pow2 ? "" : " or a list such as {0.1,0.5,1}");
  const auto bits = arguments.count("bits", 2, pow2 ? 8 : 16);
  const auto levels = static_cast<std::int32_t>(count ? *count : (std::uint64_t{1} << (*bits - 1)) - 1);
  return pow2 ? powers_of_two(levels) : uniform(levels);
}

LevelSet LevelSet::uniform(std::int32_t count) {
  ensure(1 <= count && count <= most_uniform, "a uniform dither has 1 to 32767 positive levels");
  // The peers of a simulation make their quantizers one after the other.
  thread_local std::shared_ptr<const Table> newest;
  if (newest && newest->levels.size() == static_cast<std::size_t>(count) + 1) return LevelSet(newest);
  std::vector<double> levels(static_cast<std::size_t>(count));
  for (std::size_t j = 0; j < levels.size(); ++j) levels[j] = static_cast<double>(j + 1) / count;
  newest = std::make_shared<const Table>(LevelSpacing::equal, std::move(levels));
  return LevelSet(newest);
}

LevelSet LevelSet::powers_of_two(std::int32_t count) {
  ensure(1 <= count && count <= most_others, "a dither has 1 to 127 powers of two");
  std::vector<double> levels(static_cast<std::size_t>(count));
  for (std::int32_t j = 1; j <= count; ++j)
    levels[static_cast<std::size_t>(j - 1)] = std::ldexp(1.0, j - count);
  return LevelSet(std::make_shared<const Table>(LevelSpacing::powers_of_two, std::move(levels)));
}

LevelSet LevelSet::listed(std::vector<double> levels) {
  ensure(!levels.empty() && levels.back() == 1.0 && ascend_as_floats(levels), "levels ascend to 1");
  return LevelSet(std::make_shared<const Table>(LevelSpacing::listed, std::move(levels)));
}

LevelSet::Table::Table(LevelSpacing how, std::vector<double> positive_levels)
    : spacing(how), levels(std::move(positive_levels)) {
  levels.insert(levels.begin(), 0.0);
  for (std::size_t j = 1; j < levels.size(); ++j) {
    const double l = levels[j - 1];
    const double u = levels[j];
    widest_gap = std::max(widest_gap, u - l);
    if (j > 1) relative_spread = std::max(relative_spread, (u - l) / u * ((u - l) / l) / 4.0);
  }
}

std::string LevelSet::spelling() const {
  if (spacing() == LevelSpacing::equal) return "levels=" + std::to_string(count());
  if (spacing() == LevelSpacing::powers_of_two) return "pow2, levels=" + std::to_string(count());
  std::string list;
  for (std::size_t j = 1; j < levels().size(); ++j) list += (j == 1 ? "" : ",") + number_text(levels()[j]);
  return "levels={" + list + "}";
}

}  // namespace hearsay

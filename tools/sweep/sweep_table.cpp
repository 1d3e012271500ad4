#include "tools/sweep/sweep_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "runtime/settings/sweep_tuning.hpp"
#include "tools/sweep/sweep_cells.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/table.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

namespace {

using enum Table::Align;

bool has_target(const Sweep& sweep) {
  return std::ranges::any_of(sweep.points,
                             [](const SweepPoint& point) { return point.run.run.target_loss.has_value(); });
}

bool has_accuracy(const std::vector<SweepRow>& rows) {
  return std::ranges::any_of(rows, [](const SweepRow& row) { return row.value("accuracy").is_number(); });
}

std::string variant_text(const SweepPoint& point) {
  return point.variant.empty() ? point.run.run.name : point.variant;
}

/// Returns the columns that say which point a row is of.
std::vector<Table::Column> place_columns(const Sweep& sweep) {
  std::vector<Table::Column> columns = {{"variant", left}};
  for (const auto& [key, value] : sweep.points.front().axes) columns.push_back({key, right});
  for (const TunedAxis& axis : sweep.tuned) columns.push_back({axis.key, right});
  return columns;
}

std::vector<std::string> place_cells(const Sweep& sweep, const SweepPoint& point) {
  std::vector<std::string> cells = {variant_text(point)};
  for (const auto& [key, value] : point.axes) cells.push_back(value);
  for (std::size_t k = 0; k < point.tuned.size(); ++k)
    cells.push_back(point.tuned[k].second +
                    (is_at_the_edge(sweep.tuned[k], point.tuned[k].second) ? " (edge)" : ""));
  return cells;
}

std::string accuracy_text(const SweepRow& row) {
  const double accuracy = row.number("accuracy");
  return std::isfinite(accuracy) ? fixed(100.0 * accuracy, 2) + " %" : "-";
}

std::string bits_text(double bits) { return std::isfinite(bits) ? significant(bits, 3) : "-"; }

std::string share_text(double share) { return std::isfinite(share) ? fixed(100.0 * share, 1) + " %" : "-"; }

const char* const about_bits_and_computing =
    "Bits: sent per parameter and gradient. Computing: share of the time in gradients.\n";

std::string table_of_points(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  const bool with_target = has_target(sweep);
  const bool with_accuracy = has_accuracy(rows);
  const bool compared = with_target && !sweep.baseline.empty();
  std::vector<Table::Column> columns = place_columns(sweep);
  columns.insert(columns.end(), {{"status", left}, {"iterations", right}, {"loss", right}});
  if (with_accuracy) columns.push_back({"accuracy", right});
  columns.insert(columns.end(), {{with_target ? "seconds to target" : "seconds", right},
                                 {with_target ? "MB/peer to target" : "MB/peer", right},
                                 {with_target ? "rounds to target" : "rounds", right},
                                 {"bits", right},
                                 {"computing", right}});
  if (compared) columns.push_back({"speed-up", right});

  Table table(columns);
  for (const SweepRow& row : rows) {
    const double seconds = row.number(with_target ? "seconds_to_target" : "seconds");
    const double bytes =
        with_target ? row.number("bytes_to_target") : row.number("bytes_sent") / row.number("peers");
    std::vector<std::string> cells = place_cells(sweep, *row.point);
    cells.insert(cells.end(),
                 {row.status, fixed(row.number("iterations"), 0), significant(row.number("loss"), 5)});
    if (with_accuracy) cells.push_back(accuracy_text(row));
    cells.insert(cells.end(), {fixed(seconds, 2), fixed(bytes / 1e6, 3),
                               fixed(row.number(with_target ? "rounds_to_target" : "gossip_rounds"), 0),
                               bits_text(row.number("bits_per_parameter_and_gradient")),
                               share_text(row.number("computing_share"))});
    if (compared) cells.push_back(std::isfinite(row.speed_up) ? fixed(row.speed_up, 2) + "x" : "-");
    table.add(std::move(cells));
  }
  return table.text() + "\n" + about_bits_and_computing;
}

/// A figure of a cell in text. The interval decides how many digits are worth reading: "2.61", "0.08".
struct FigureText {
  std::string mean = "-";
  std::string half;  ///< of the interval; empty if there is none
  std::string deviation = "-";

  explicit FigureText(const Estimate& estimate, double unit = 1.0) {
    if (estimate.count == 0) return;
    const double value = estimate.mean / unit;
    double width = (estimate.high - estimate.mean) / unit;
    double spread = estimate.deviation / unit;
    if (width < 1e-12 * std::abs(value)) width = spread = 0.0;  // sums of equal times, rounded in their order
    if (estimate.count == 1 || width <= 0.0 || std::abs(value) < 1e-4) {
      mean = significant(value, 5);
      if (estimate.count == 1) return;
      half = significant(width, 2);
      deviation = significant(spread, 2);
      return;
    }
    // One digit of the interval is enough, unless it is a 1.
    const int place = static_cast<int>(std::floor(std::log10(width)));
    const bool begins_with_one = width < 2.0 * std::pow(10.0, place);
    const int decimals = std::max(0, (begins_with_one ? 1 : 0) - place);
    mean = fixed(value, decimals);
    half = fixed(width, decimals);
    deviation = significant(spread, 2);
  }
};

/// A column "2.61 ± 0.08" of a number of the summaries, and a column of its standard deviations.
struct FigureColumns {
  std::string heading;
  const char* key;        ///< of the summary
  double unit = 1.0;      ///< what the number is divided by
  bool per_peer = false;  ///< and also by the number of peers
  std::vector<FigureText> figures = {};
  std::size_t widest_half = 0;  ///< of all figures: the signs stand below each other

  void add(const SweepCell& cell) {
    figures.emplace_back(cell.figure(key),
                         unit * (per_peer ? static_cast<double>(cell.point().run.topology.peers) : 1.0));
    widest_half = std::max(widest_half, figures.back().half.size());
  }

  std::pair<std::string, std::string> cells(std::size_t row) const {
    const FigureText& figure = figures[row];
    const std::string half = figure.half + std::string(widest_half - figure.half.size(), ' ');
    const std::string sign = figure.half.empty() ? "   " : " ± ";
    return {figure.mean + (widest_half == 0 ? "" : sign + half), figure.deviation};
  }
};

/// Returns how the repetitions ended: "9 target, 1 diverged".
std::string statuses_text(const SweepCell& cell, std::size_t repeats) {
  std::vector<std::pair<std::string, std::size_t>> times;
  for (const SweepRow* const row : cell.rows) {
    const auto known = std::ranges::find(times, row->status, &std::pair<std::string, std::size_t>::first);
    if (known == times.end())
      times.emplace_back(row->status, 1);
    else
      ++known->second;
  }
  if (cell.rows.size() < repeats) times.emplace_back("not run", repeats - cell.rows.size());
  std::string text;
  for (const auto& [status, number] : times)
    text += (text.empty() ? "" : ", ") + std::to_string(number) + " " + status;
  return text;
}

/// Sentences about cells. A sentence that is true of a variant at several places stands once.
class Sentences {
 public:
  void say(const SweepPoint& point, const std::string& sentence) {
    const auto known = std::ranges::find_if(said_, [&](const Said& earlier) {
      return earlier.point->variant == point.variant && earlier.sentence == sentence;
    });
    if (known == said_.end())
      said_.push_back({&point, sentence});
    else
      ++known->places;
  }

  std::string text() const {
    std::string text;
    for (const auto& [point, sentence, places] : said_)
      text += "\n" + (places == 1 ? label_of(*point) : variant_text(*point)) + ": " + sentence +
              (places == 1 ? "" : " (so at " + std::to_string(places) + " places)") + "\n";
    return text;
  }

 private:
  struct Said {
    const SweepPoint* point;
    std::string sentence;
    std::size_t places = 1;
  };
  std::vector<Said> said_;
};

/// Says which repetitions are in no mean.
void say_counts(const std::vector<SweepCell>& cells, bool with_target, Sentences& sentences) {
  for (const SweepCell& cell : cells) {
    const std::size_t tried = cell.rows.size();
    const auto of = [&](std::size_t count) { return std::to_string(count) + " of " + std::to_string(tried); };
    if (const std::size_t well = cell.ended_well(); well < tried)
      sentences.say(cell.point(), well == 0 ? "no seed came to its end"
                                            : of(well) +
                                                  " came to their end; loss and accuracy are of these "
                                                  "only");
    if (const std::size_t reached = cell.figure("seconds_to_target").count; with_target && reached < tried)
      sentences.say(cell.point(), reached == 0 ? "no seed reached the target"
                                               : of(reached) +
                                                     " reached the target; seconds, MB and "
                                                     "speed-up are of these only");
  }
}

/// Says which tuned values are the least or the greatest of those that were tried.
void say_edges(const Sweep& sweep, const std::vector<SweepCell>& cells, Sentences& sentences) {
  for (const SweepCell& cell : cells)
    for (std::size_t k = 0; k < sweep.tuned.size(); ++k)
      if (const auto& [key, value] = cell.point().tuned[k]; is_at_the_edge(sweep.tuned[k], value))
        sentences.say(cell.point(), key + " = " + value + " is at the edge of its grid: widen it");
}

std::string speed_up_text(const Estimate& speed_up) {
  if (speed_up.count == 0) return "-";
  const std::string mean = fixed(speed_up.mean, 2) + "x";
  if (speed_up.count == 1) return mean;
  return mean + " (" + fixed(speed_up.low, 2) + " to " + fixed(speed_up.high, 2) + ")";
}

double mean_of(const SweepCell& cell, const char* key) {
  const Estimate estimate = cell.figure(key);
  return estimate.count == 0 ? std::numeric_limits<double>::quiet_NaN() : estimate.mean;
}

std::string table_of_cells(const Sweep& sweep, const std::vector<SweepRow>& rows,
                           const std::vector<SweepCell>& cells) {
  const bool with_target = has_target(sweep);
  const bool compared = with_target && !sweep.baseline.empty();
  std::vector<FigureColumns> figures = {{"loss", "loss"}};
  if (has_accuracy(rows)) figures.push_back({"accuracy, %", "accuracy", 0.01});
  if (with_target) {
    figures.push_back({"seconds to target", "seconds_to_target"});
    figures.push_back({"MB/peer to target", "bytes_to_target", 1e6});
  } else {
    figures.push_back({"seconds", "seconds"});
    figures.push_back({"MB/peer", "bytes_sent", 1e6, true});
  }
  for (const SweepCell& cell : cells)
    for (FigureColumns& column : figures) column.add(cell);

  std::vector<Table::Column> columns = place_columns(sweep);
  columns.push_back({"runs", left});
  for (const FigureColumns& column : figures)
    columns.insert(columns.end(), {{column.heading, right}, {"sd", right}});
  columns.insert(columns.end(), {{"bits", right}, {"computing", right}});
  if (compared) columns.push_back({"speed-up", right});
  Table table(columns);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    std::vector<std::string> line = place_cells(sweep, cells[k].point());
    line.push_back(statuses_text(cells[k], sweep.repeats));
    for (const FigureColumns& column : figures) {
      const auto [mean, deviation] = column.cells(k);
      line.insert(line.end(), {mean, deviation});
    }
    line.push_back(bits_text(mean_of(cells[k], "bits_per_parameter_and_gradient")));
    line.push_back(share_text(mean_of(cells[k], "computing_share")));
    if (compared) line.push_back(speed_up_text(cells[k].speed_up));
    table.add(std::move(line));
  }
  return table.text() + "\nMeans over " + std::to_string(sweep.repeats) +
         " seeds ± half of the 95 % interval (Student's t); sd: standard deviation." +
         (compared ? "\nSpeed-up: geometric mean over equal seeds, and its 95 % interval." : "") + "\n" +
         about_bits_and_computing;
}

}  // namespace

std::string table_of(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  const std::vector<SweepCell> cells = cells_of(sweep, rows);
  std::string text = sweep.repeats > 1 ? table_of_cells(sweep, rows, cells) : table_of_points(sweep, rows);
  Sentences sentences;
  if (sweep.repeats > 1) say_counts(cells, has_target(sweep), sentences);
  say_edges(sweep, cells, sentences);
  text += sentences.text();
  std::set<std::pair<std::string, std::string>> said;  // a variant may have the same note on every network
  for (const SweepRow& row : rows)
    if (!row.note.empty() && said.emplace(row.point->variant, row.note).second)
      text += "\n" + label_of(*row.point) + ": " + row.note + "\n";
  return text;
}

}  // namespace hearsay

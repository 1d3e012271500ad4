#include "tools/influence/influence_record.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/summary.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/table.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;
using enum Table::Align;

std::string label_text(double label) { return significant(label, 6); }

const TrainedSample& sample_at(const InfluenceFindings& found, Index index) {
  return found.samples[static_cast<std::size_t>(index)];
}

/// Returns a sample and its influence as the cells of a row.
std::vector<std::string> cells_of(const InfluenceFindings& found, Index index, double influence) {
  const TrainedSample& sample = sample_at(found, index);
  return {std::to_string(sample.row), std::to_string(sample.peer), label_text(sample.label),
          significant(influence)};
}

std::string row_text(const InfluenceFindings& found, std::size_t row, std::size_t top) {
  const TestSample& test = found.rows[row];
  const Vector<double> influence = found.on_tests.col(static_cast<Index>(row) + 1);
  const std::vector<Index> proponents = extremes(influence, top, true);
  const std::vector<Index> opponents = extremes(influence, top, false);
  Table table({{"proponent", right},
               {"peer", right},
               {"label", right},
               {"influence", right},
               {"", left},
               {"opponent", right},
               {"peer", right},
               {"label", right},
               {"influence", right}});
  for (std::size_t k = 0; k < proponents.size(); ++k) {
    std::vector<std::string> cells = cells_of(found, proponents[k], influence[proponents[k]]);
    cells.emplace_back();
    for (std::string& cell : cells_of(found, opponents[k], influence[opponents[k]]))
      cells.push_back(std::move(cell));
    table.add(std::move(cells));
  }
  return "\ntest sample " + std::to_string(test.row) + ": label " + label_text(test.label) + ", loss " +
         significant(test.loss) + "\n" + table.text();
}

std::string by_sample(const InfluenceFindings& found, std::size_t top) {
  std::string text;
  for (std::size_t row = 0; row < found.rows.size(); ++row) text += row_text(found, row, top);
  Table table(
      {{"sample", right}, {"peer", right}, {"label", right}, {"on itself", right}, {"on the test", right}});
  for (const Index index : extremes(found.on_itself, top, true)) {
    std::vector<std::string> cells = cells_of(found, index, found.on_itself[index]);
    cells.push_back(significant(found.on_tests(index, 0)));
    table.add(std::move(cells));
  }
  return text + "\nthe most influence on itself: wrong labels and rare samples first\n" + table.text();
}

/// The influence of the peer on the mean loss of all other peers' data.
double on_others(const InfluenceFindings& found, const std::vector<std::uint64_t>& sizes, Index peer) {
  double sum = 0.0;
  double samples = 0.0;
  for (Index other = 0; other < found.between_peers.cols(); ++other) {
    if (other == peer) continue;
    const auto size = static_cast<double>(sizes[static_cast<std::size_t>(other)]);
    sum += size * found.between_peers(peer, other);
    samples += size;
  }
  return samples > 0.0 ? sum / samples : std::nan("");
}

std::string by_peer(const InfluenceFindings& found) {
  const std::vector<std::uint64_t> sizes = found.shard_sizes();
  const bool between = found.between_peers.rows() > 0;
  Table table({{"peer", right},
               {"samples", right},
               {"on the test", right},
               {"share", right},
               {"a sample", right},
               {"on its own data", right},
               {"on the others' data", right}});
  for (Index peer = 0; peer < found.of_peers_on_tests.rows(); ++peer) {
    const std::uint64_t size = sizes[static_cast<std::size_t>(peer)];
    if (size == 0) continue;
    const double influence = found.of_peers_on_tests(peer, 0);
    table.add({std::to_string(peer), grouped(size), significant(influence),
               fixed(100.0 * influence / found.total(), 1) + " %",
               significant(influence / static_cast<double>(size)),
               between ? significant(found.between_peers(peer, peer)) : "-",
               between ? significant(on_others(found, sizes, peer)) : "-"});
  }
  return "\n" + table.text();
}

/// What passed the links, those with the most first; then what each peer holds.
std::string by_link(const InfluenceFindings& found, std::size_t top) {
  const LinkInfluence& of = *found.links;
  const auto most = [](const LinkFlow& link) {
    return std::max(std::abs(link.of_first()), std::abs(link.of_second()));
  };
  std::vector<LinkFlow> links = of.links;
  std::ranges::stable_sort(links, std::greater<>(), most);
  if (links.size() > top) links.resize(top);
  Table table({{"link", left},
               {"of the first's data", right},
               {"of the second's data", right},
               {"of all data, net", right}});
  for (const LinkFlow& link : links)
    table.add({std::to_string(link.from) + " - " + std::to_string(link.to), significant(link.of_first()),
               significant(link.of_second()), significant(link.net())});
  Table peers({{"peer", right}, {"its own", right}, {"entered, net", right}, {"holds at the end", right}});
  for (Index peer = 0; peer < of.held.rows(); ++peer) {
    const double own = of.held.col(peer).sum();
    const double holds = of.held.row(peer).sum();
    peers.add({std::to_string(peer), significant(own), significant(holds - own), significant(holds)});
  }
  return "\ninfluence on the test that passed the links: of the first's data to the second, and the other "
         "way\n" +
         table.text() + "\nwhat is in the model of each peer\n" + peers.text();
}

Json links_json(const InfluenceFindings& found) {
  if (!found.links) return nullptr;
  Json links = Json::array();
  for (const LinkFlow& link : found.links->links)
    links.push_back({{"peers", {link.from, link.to}},
                     {"of_first", link.of_first()},
                     {"of_second", link.of_second()},
                     {"net", link.net()}});
  return links;
}

Json list_of(const InfluenceFindings& found, const Vector<double>& values, std::size_t top, bool largest) {
  Json list = Json::array();
  for (const Index index : extremes(values, top, largest)) {
    const TrainedSample& sample = sample_at(found, index);
    list.push_back({{"sample", sample.row},
                    {"peer", sample.peer},
                    {"label", sample.label},
                    {"influence", values[index]}});
  }
  return list;
}

/// Returns a number with all its digits.
std::string exact(double value) { return Json(value).dump(); }

std::string samples_csv(const InfluenceFindings& found) {
  std::string text = "sample,peer,label,on_itself,on_test";
  for (const TestSample& test : found.rows) text += ",on_test_" + std::to_string(test.row);
  text += "\n";
  for (Index s = 0; s < found.on_tests.rows(); ++s) {
    const TrainedSample& sample = sample_at(found, s);
    text += std::to_string(sample.row) + "," + std::to_string(sample.peer) + "," + exact(sample.label) + "," +
            exact(found.on_itself[s]);
    for (Index c = 0; c < found.on_tests.cols(); ++c) text += "," + exact(found.on_tests(s, c));
    text += "\n";
  }
  return text;
}

std::string peers_csv(const InfluenceFindings& found) {
  const std::vector<std::uint64_t> sizes = found.shard_sizes();
  std::string text = "peer,samples,on_test";
  for (Index on = 0; on < found.between_peers.cols(); ++on) text += ",on_peer_" + std::to_string(on);
  text += "\n";
  for (Index peer = 0; peer < found.of_peers_on_tests.rows(); ++peer) {
    text += std::to_string(peer) + "," + std::to_string(sizes[static_cast<std::size_t>(peer)]) + "," +
            exact(found.of_peers_on_tests(peer, 0));
    for (Index on = 0; on < found.between_peers.cols(); ++on)
      text += "," + exact(found.between_peers(peer, on));
    text += "\n";
  }
  return text;
}

Json pictures_by_row(const std::map<Index, std::string>& pictures) {
  Json by_row = Json::object();
  for (const auto& [row, address] : pictures) by_row[std::to_string(row)] = address;
  return by_row;
}

std::string links_csv(const LinkInfluence& of) {
  std::string text = "from,to,net";
  for (Index peer = 0; peer < of.held.cols(); ++peer) text += ",of_peer_" + std::to_string(peer);
  text += "\n";
  for (const LinkFlow& link : of.links) {
    text += std::to_string(link.from) + "," + std::to_string(link.to) + "," + exact(link.net());
    for (const double flow : link.flow) text += "," + exact(flow);
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<std::uint64_t> InfluenceFindings::shard_sizes() const {
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(of_peers_on_tests.rows()), 0);
  for (const TrainedSample& sample : samples) ++sizes[sample.peer];
  return sizes;
}

std::vector<Index> extremes(const Vector<double>& values, std::size_t top, bool largest) {
  std::vector<Index> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto first = order.begin() + static_cast<std::ptrdiff_t>(std::min(top, order.size()));
  std::partial_sort(order.begin(), first, order.end(), [&](Index one, Index other) {
    if (values[one] == values[other]) return one < other;
    return largest ? values[one] > values[other] : values[one] < values[other];
  });
  order.erase(first, order.end());
  return order;
}

std::set<Index> told_samples(const InfluenceFindings& found, std::size_t top) {
  std::set<Index> told;
  const auto tell = [&](const Vector<double>& values, bool largest) {
    for (const Index index : extremes(values, top, largest)) told.insert(sample_at(found, index).row);
  };
  for (Index row = 1; row < found.on_tests.cols(); ++row) {
    tell(found.on_tests.col(row), true);
    tell(found.on_tests.col(row), false);
  }
  tell(found.on_itself, true);
  return told;
}

std::string influence_text(const InfluenceFindings& found, InfluenceBy by, std::size_t top) {
  Table table({{"", left}, {"", left}});
  table.add({"models", counted(found.kept, "iteration") + ", " + grouped(found.first) + " to " +
                           grouped(found.last) + (found.of_peers ? ", of each peer" : "")});
  table.add({"training samples", grouped(found.samples.size())});
  table.add({"test samples", grouped(found.test_count) + ", " + found.tests});
  const double fell = found.loss_before - found.loss_after;
  table.add({"their mean loss", significant(found.loss_before) + " to " + significant(found.loss_after) +
                                    (fell >= 0.0 ? ": fell by " : ": rose by ") +
                                    significant(std::abs(fell))});
  table.add({"all influences",
             "add up to " + significant(found.total()) +
                 (fell > 0.0 ? ", " + fixed(100.0 * found.total() / fell, 1) + " % of that" : "")});
  if (fell > 0.0 && std::abs(std::log2(std::abs(found.total()) / fell)) > 1.0)
    table.add({"", "far from it: read the order of the samples; models kept more often give better numbers"});
  if (found.projection > 0)
    table.add({"projection", "of gradients to " + grouped(found.projection) + " numbers"});
  switch (by) {
    case InfluenceBy::sample:
      return table.text() + by_sample(found, top);
    case InfluenceBy::peer:
      return table.text() + by_peer(found);
    case InfluenceBy::link:
      return table.text() + by_link(found, top);
  }
  return "";
}

Json influence_json(const InfluenceFindings& found, std::size_t top) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < found.rows.size(); ++row) {
    const Vector<double> influence = found.on_tests.col(static_cast<Index>(row) + 1);
    rows.push_back({{"test_sample", found.rows[row].row},
                    {"label", found.rows[row].label},
                    {"loss", found.rows[row].loss},
                    {"proponents", list_of(found, influence, top, true)},
                    {"opponents", list_of(found, influence, top, false)}});
  }
  const std::vector<std::uint64_t> sizes = found.shard_sizes();
  Json peers = Json::array();
  for (Index peer = 0; peer < found.of_peers_on_tests.rows(); ++peer) {
    Json on = Json::array();
    for (Index other = 0; other < found.between_peers.cols(); ++other)
      on.push_back(found.between_peers(peer, other));
    peers.push_back({{"peer", peer},
                     {"samples", sizes[static_cast<std::size_t>(peer)]},
                     {"on_test", found.of_peers_on_tests(peer, 0)},
                     {"on_peers", std::move(on)}});
  }
  return {{"schema", 1},
          {"run", found.run},
          {"kept_iterations", found.kept},
          {"first_iteration", found.first},
          {"last_iteration", found.last},
          {"models_of", found.of_peers ? "peers" : "evaluated"},
          {"projection", found.projection > 0 ? Json(found.projection) : Json(nullptr)},
          {"training_samples", found.samples.size()},
          {"test_samples", found.test_count},
          {"test", found.tests},
          {"loss_before", found.loss_before},
          {"loss_after", found.loss_after},
          {"total", found.total()},
          {"tests", std::move(rows)},
          {"on_itself", list_of(found, found.on_itself, top, true)},
          {"peers", std::move(peers)},
          {"links", links_json(found)}};
}

void write_influence(const InfluenceFindings& found, std::size_t top) {
  const std::filesystem::path folder = found.run;
  Json record = influence_json(found, top);
  if (!found.pictures.training.empty())
    record["pictures"] = {{"training", pictures_by_row(found.pictures.training)},
                          {"test", pictures_by_row(found.pictures.test)}};
  std::vector<std::pair<std::filesystem::path, std::string>> files = {
      {folder / "influence-samples.csv", samples_csv(found)},
      {folder / "influence-peers.csv", peers_csv(found)}};
  std::error_code ignored;
  if (found.links)
    files.push_back({folder / "influence-links.csv", links_csv(*found.links)});
  else
    std::filesystem::remove(folder / "influence-links.csv", ignored);  // of an earlier call
  files.push_back({folder / "influence.json", checksummed_text(record)});
  write_files(files);
}

}  // namespace hearsay

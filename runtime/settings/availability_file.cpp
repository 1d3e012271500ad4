#include "runtime/settings/availability_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "runtime/foundation/whole_file.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {
namespace {

constexpr double most_seconds = 1e9;
constexpr double least_slowdown = 1e-6;
constexpr double most_slowdown = 1e6;

enum class Column : std::size_t { peer, from, to, slowdown, finish_time, not_read };
constexpr std::size_t columns_that_are_read = static_cast<std::size_t>(Column::not_read);

struct ColumnName {
  std::string_view name;
  Column column;
};
constexpr std::array<ColumnName, 10> column_names = {{{"peer", Column::peer},
                                                      {"from", Column::from},
                                                      {"to", Column::to},
                                                      {"slowdown", Column::slowdown},
                                                      {"finish_time", Column::finish_time},
                                                      {"client_id", Column::peer},
                                                      {"active", Column::from},
                                                      {"inactive", Column::to},
                                                      {"duration", Column::not_read},
                                                      {"model", Column::not_read}}};

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return lower;
}

/// The beginning of a field, for messages.
std::string shown(std::string_view field) {
  constexpr std::size_t most_letters = 80;
  return std::string(field.substr(0, most_letters));
}

/// Removes the first field of a line, and returns it without the quotes around it; a comma in quotes
/// separates nothing. Behind the last field, the line is empty and `is_last` true.
std::string_view take_field(std::string_view& line, bool& is_last) {
  bool in_quotes = false;
  std::size_t end = 0;
  for (; end < line.size() && (line[end] != ',' || in_quotes); ++end)
    if (line[end] == '"') in_quotes = !in_quotes;
  std::string_view field = trimmed(line.substr(0, end));
  if (field.size() >= 2 && field.starts_with('"') && field.ends_with('"'))
    field = trimmed(field.substr(1, field.size() - 2));
  is_last = end == line.size();
  line.remove_prefix(is_last ? end : end + 1);
  return field;
}

/// Calls visit(field) for the fields of a line.
template <class Visit>
void visit_fields(std::string_view line, const Visit& visit) {
  for (bool is_last = false; !is_last;) visit(take_field(line, is_last));
}

/// The numbers of "[0, 7200]", or the one number of "0".
std::vector<std::string_view> items_of(std::string_view field) {
  if (!field.starts_with('[') || !field.ends_with(']')) return {field};
  field = trimmed(field.substr(1, field.size() - 2));
  std::vector<std::string_view> items;
  if (!field.empty()) visit_fields(field, [&](std::string_view item) { items.push_back(item); });
  return items;
}

std::string in_seconds(Duration time) { return number_text(seconds(time)); }

/// Reads the file line by line.
class AvailabilityReader {
 public:
  AvailabilityReader(const std::string& label, PeerId peers) : label_(label), peers_(peers) {}

  void read(std::string_view csv) {
    while (!csv.empty()) {
      ++number_;
      const std::size_t end = csv.find('\n');
      std::string_view line = csv.substr(0, end);
      csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (trimmed(line).empty()) continue;
      if (columns_.empty())
        read_heading(line);
      else
        read_row(line);
    }
    if (columns_.empty())
      throw Misuse(label_ + ": it is empty; expected a first line that names the columns, peer,from,to");
  }

  std::vector<Availability> availability() {
    std::vector<Availability> all;
    all.reserve(of_peer_.size());
    for (PeerId id = 0; id < peers_; ++id) all.push_back(availability_of(id));
    return all;
  }

 private:
  struct Presence {
    Availability::Stretch stretch;
    std::size_t line;
  };
  struct OfPeer {
    std::vector<Presence> presences;
    Duration finish_time{0};  // 0: none was given
  };
  using Fields = std::array<std::optional<std::string_view>, columns_that_are_read>;

  std::string place() const { return label_ + ":" + std::to_string(number_); }

  void read_heading(std::string_view line) {
    std::vector<std::string> known;
    for (const ColumnName& column : column_names) known.emplace_back(column.name);
    visit_fields(line, [&](std::string_view field) {
      const std::string name = shown(field);
      const auto named = std::ranges::find(column_names, lower_case(name), &ColumnName::name);
      if (named == column_names.end())
        throw Misuse(place() + ": unknown column \"" + name + "\"" + did_you_mean(name, known));
      columns_.push_back(named->column);
      if (named->column == Column::not_read) return;
      if (std::ranges::count(columns_, named->column) > 1)
        throw Misuse(place() + ": column " + std::string(named->name) + ": expected each column once");
      names_[index(named->column)] = named->name;
    });
    for (const Column needed : {Column::peer, Column::from, Column::to})
      if (std::ranges::find(columns_, needed) == columns_.end())
        throw Misuse(place() + ": there is no column " + std::string(column_names[index(needed)].name) +
                     "; expected a first line that names the columns, peer,from,to or "
                     "client_id,active,inactive");
  }

  static std::size_t index(Column column) { return static_cast<std::size_t>(column); }

  Fields split(std::string_view line) const {
    Fields row;
    std::size_t count = 0;
    visit_fields(line, [&](std::string_view field) {
      if (count < columns_.size() && columns_[count] != Column::not_read) row[index(columns_[count])] = field;
      ++count;
    });
    if (count != columns_.size())
      throw Misuse(place() + ": " + std::to_string(count) + " fields; expected " +
                   std::to_string(columns_.size()) + ", as the first line has" +
                   (line.find('[') != std::string_view::npos ? ", and lists in quotes, \"[0, 7200]\"" : ""));
    return row;
  }

  [[noreturn]] void refuse(Column column, std::string_view value, const std::string& expectation) const {
    const std::string key = place() + ": " + std::string(names_[index(column)]);
    if (value.empty()) throw Misuse(key + ": there is no value; " + expectation);
    throw Misuse(key, shown(value), expectation);
  }

  Duration time(Column column, std::string_view text) const {
    double value = 0.0;
    if (!parse_number(text, value) || value < 0.0 || value > most_seconds)
      refuse(column, text,
             "expected seconds since the start of the run, from 0 to " + number_text(most_seconds));
    return Duration{std::llround(value * 1e9)};
  }

  PeerId peer(std::string_view text) const {
    std::uint64_t id = 0;
    if (!parse_whole(text, id) || id >= peers_)
      refuse(Column::peer, text,
             "expected a peer's id, 0 to " + std::to_string(peers_ - 1) +
                 ", since topology.peers = " + std::to_string(peers_));
    return static_cast<PeerId>(id);
  }

  double slowdown(const std::optional<std::string_view>& text) const {
    if (!text) return 1.0;
    double value = 0.0;
    if (!parse_number(*text, value) || value < least_slowdown || value > most_slowdown)
      refuse(Column::slowdown, *text,
             "expected how many times as long a gradient takes, from " + number_text(least_slowdown) +
                 " to " + number_text(most_slowdown));
    return value;
  }

  void take_finish_time(const std::optional<std::string_view>& text, OfPeer& of_peer) const {
    if (!text) return;
    const Duration given = time(Column::finish_time, *text);
    if (given == Duration{0}) refuse(Column::finish_time, *text, "expected a time after the start");
    if (of_peer.finish_time != Duration{0} && of_peer.finish_time != given)
      refuse(Column::finish_time, *text,
             "expected " + in_seconds(of_peer.finish_time) + ", as in the rows of the peer above");
    of_peer.finish_time = given;
  }

  void read_row(std::string_view line) {
    const Fields row = split(line);
    const auto field = [&row](Column column) { return row[index(column)]; };
    OfPeer& of_peer = of_peer_[peer(*field(Column::peer))];
    const double slower = slowdown(field(Column::slowdown));
    take_finish_time(field(Column::finish_time), of_peer);
    const std::vector<std::string_view> from = items_of(*field(Column::from));
    const std::vector<std::string_view> to = items_of(*field(Column::to));
    if (from.size() != to.size())
      throw Misuse(place() + ": " + std::to_string(from.size()) +
                   " times from which the peer is there, and " + std::to_string(to.size()) +
                   " to which; expected as many of both");
    for (std::size_t k = 0; k < from.size(); ++k) {
      const Availability::Stretch stretch{time(Column::from, from[k]), time(Column::to, to[k]), slower};
      if (stretch.end <= stretch.begin)
        refuse(Column::to, to[k],
               "expected a time after " + in_seconds(stretch.begin) + ", from which it is there");
      if (of_peer.finish_time != Duration{0} && stretch.end > of_peer.finish_time)
        refuse(Column::to, to[k],
               "expected at most the peer's finish_time, " + in_seconds(of_peer.finish_time));
      latest_ = std::max(latest_, stretch.end);
      of_peer.presences.push_back({stretch, number_});
    }
  }

  Availability availability_of(PeerId id) {
    const auto found = of_peer_.find(id);
    if (found == of_peer_.end())
      throw Misuse(label_ + ": no row says when peer " + std::to_string(id) +
                   " is there; expected one for each of the " + std::to_string(peers_) + " peers");
    if (found->second.presences.empty())
      throw Misuse(label_ + ": no time is in the rows of peer " + std::to_string(id) +
                   "; expected one at least at which it is there");
    OfPeer& of_peer = found->second;
    std::ranges::stable_sort(of_peer.presences, {},
                             [](const Presence& presence) { return presence.stretch.begin; });
    std::vector<Availability::Stretch> stretches;
    stretches.reserve(of_peer.presences.size());
    for (const Presence& presence : of_peer.presences) {
      if (!stretches.empty() && presence.stretch.begin < stretches.back().end) {
        number_ = presence.line;
        refuse(Column::from, in_seconds(presence.stretch.begin),
               "peer " + std::to_string(id) + " is there from " + in_seconds(stretches.back().begin) +
                   " to " + in_seconds(stretches.back().end) +
                   " already; expected times that do not overlap");
      }
      stretches.push_back(presence.stretch);
    }
    return {std::move(stretches), of_peer.finish_time != Duration{0} ? of_peer.finish_time : latest_};
  }

  const std::string& label_;
  PeerId peers_;
  std::size_t number_ = 0;  // of the line
  std::vector<Column> columns_;
  std::array<std::string_view, columns_that_are_read> names_;  // of the columns, as the file has them
  std::map<PeerId, OfPeer> of_peer_;
  Duration latest_{0};  // `to` of the file
};

}  // namespace

std::vector<Availability> parse_availability(std::string_view csv, const std::string& label, PeerId peers) {
  AvailabilityReader reader(label, peers);
  reader.read(csv);
  return reader.availability();
}

std::vector<Availability> load_availability(const std::filesystem::path& file, const std::string& label,
                                            PeerId peers) {
  return parse_availability(read_text_file(label, file.string()), label + ": " + file.string(), peers);
}

}  // namespace hearsay

#include "topology/drawn_graph.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "topology/drawn_names.hpp"
#include "topology/drawn_network.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/natural_order.hpp"

namespace hearsay {
namespace {

std::string counted_things(std::size_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

bool has_attributes(const LinkNotes& notes) { return notes != LinkNotes{}; }

/// Makes links of what is drawn between two peers.
class Folding {
 public:
  Folding(const DrawnGraph& drawn, std::string format, GraphMending mending)
      : drawn_(drawn),
        format_(std::move(format)),
        mending_(std::move(mending)),
        names_(names_of_drawn(drawn.peers)) {
    for (const DrawnPeer& peer : drawn.peers)
      if (!ids_.emplace(peer.id, static_cast<PeerId>(ids_.size())).second)
        throw Misuse(format_ + ": node " + peer.id + " is there twice");
    for (const DrawnLink& link : drawn.links) add(link);
  }

  AnnotatedGraph made_graph() {
    std::vector<Edge> edges;
    for (const auto& [edge, between] : between_) edges.push_back(edge);
    AnnotatedGraph result{Graph(static_cast<PeerId>(names_.size()), std::move(edges)), {}, {}};
    // The command that a Misuse names has all options that the file needs, so that one call mends it.
    wanted_.undirected |= lacks_a_way_back_beside_others() || opposites_differ();
    wanted_.merge_links |= parallel_with_attributes() || repeated_self_;
    wanted_.largest_component |= result.graph.component_count() > 1;
    refuse_what_needs_mending();
    for (std::size_t k = 0; k < names_.size(); ++k)
      result.peers.push_back({names_[k], in_one_line(drawn_.peers[k].address)});
    for (const auto& [edge, between] : between_) {
      result.links.push_back(between.strands.there.empty() ? between.strands.back.front()
                                                           : between.strands.there.front());
      if (!is_one_link(between)) result.strands.emplace(edge, between.strands);
    }
    result.self_weights = std::move(self_weights_);
    add_notices(result.notices);
    if (mending_.network_from_geo) add_network(result, drawn_.peers, format_);
    return result;
  }

 private:
  /// All links between two peers.
  struct Between {
    LinkStrands strands;
    std::size_t links = 0;   ///< that have no direction
    const DrawnLink* first;  ///< for messages
    const DrawnLink* last;
    bool one_way() const { return strands.there.empty() || strands.back.empty(); }
    bool arcs_both_ways() const { return links == 0 && !one_way(); }
    bool parallel() const { return std::max(strands.there.size(), strands.back.size()) > 1; }
    bool has_any_attributes() const {
      return std::ranges::any_of(strands.there, has_attributes) ||
             std::ranges::any_of(strands.back, has_attributes);
    }
  };

  /// True if all that is drawn says the same.
  static bool is_one_link(const Between& between) {
    if (between.parallel()) return !between.has_any_attributes();
    return between.one_way() || between.strands.there == between.strands.back;
  }

  static bool is_arc(const DrawnLink& link) {
    return link.heads == ArrowHeads::at_target || link.heads == ArrowHeads::at_source;
  }

  std::string name_of(const std::string& id) const {
    const auto found = ids_.find(id);
    return found == ids_.end() ? id : names_[found->second];
  }

  std::string text_of(const DrawnLink& link) const {
    const auto& [from, to] =
        link.heads == ArrowHeads::at_source ? std::tie(link.to, link.from) : std::tie(link.from, link.to);
    return "link " + name_of(from) + (is_arc(link) ? " -> " : " - ") + name_of(to);
  }

  LinkNotes notes_of(const DrawnLink& link) const {
    LinkNotes notes{std::nullopt, in_one_line(link.latency), in_one_line(link.bandwidth), {}};
    if (mending_.network_from_geo && notes.bandwidth.empty())
      notes.bandwidth = bandwidth_of_speed(link, format_ + ": " + text_of(link));
    // igraph writes NaN if there is no weight. Whether weights are used, the caller decides.
    const std::string text = in_one_line(link.weight);
    double weight = 0.0;
    if (parse_number(text, weight))
      notes.weight = weight;
    else
      notes.no_weight = text;
    return notes;
  }

  void require_both_ends(const DrawnLink& link) const {
    const bool no_source = link.from.empty() && !ids_.contains("");
    const bool no_target = link.to.empty() && !ids_.contains("");
    if (!no_source && !no_target) return;
    const std::string words =
        format_ + ": link " + std::to_string(&link - drawn_.links.data() + 1) + " has no ";
    if (no_source && no_target) throw Misuse(words + "source and no target");
    throw Misuse(words + (no_source ? "source; its target is " + name_of(link.to)
                                    : "target; its source is " + name_of(link.from)));
  }

  void add(const DrawnLink& link) {
    require_both_ends(link);
    for (const std::string& end : {link.from, link.to})
      if (!ids_.contains(end)) throw Misuse(format_ + ": " + text_of(link) + ": there is no node " + end);
    const PeerId from = ids_.at(link.from);
    const PeerId to = ids_.at(link.to);
    LinkNotes notes = notes_of(link);
    if (from == to) {
      if (!notes.weight && skipped_selves_++ == 0) first_skipped_ = from;
      if (notes.weight && self_weights_.contains(from)) repeated_self_ = &link;
      if (notes.weight) self_weights_[from] += *notes.weight;
      return;
    }
    headless_ += link.heads == ArrowHeads::none ? 1 : 0;
    arcs_ += is_arc(link) ? 1 : 0;
    Between& between = between_.try_emplace({std::min(from, to), std::max(from, to)}).first->second;
    if (between.strands.there.empty() && between.strands.back.empty()) between.first = &link;
    between.last = &link;
    if (!is_arc(link)) {
      ++between.links;
      between.strands.there.push_back(notes);
      between.strands.back.push_back(std::move(notes));
    } else {
      const bool upward = (from < to) == (link.heads == ArrowHeads::at_target);
      (upward ? between.strands.there : between.strands.back).push_back(std::move(notes));
    }
  }

  const Between* find(bool (*wanted)(const Between&)) const {
    const auto found =
        std::ranges::find_if(between_, [&](const auto& entry) { return wanted(entry.second); });
    return found == between_.end() ? nullptr : &found->second;
  }

  const Between* one_way() const {
    return find([](const Between& between) { return between.one_way(); });
  }
  /// True if some arcs have an opposite and some have none. If none has, a direction means nothing.
  bool lacks_a_way_back_beside_others() const {
    return one_way() != nullptr &&
           find([](const Between& between) { return between.arcs_both_ways(); }) != nullptr;
  }
  const Between* opposites_differ() const {
    return find([](const Between& between) {
      return between.arcs_both_ways() && !between.parallel() && !is_one_link(between);
    });
  }
  const Between* parallel_with_attributes() const {
    return find([](const Between& between) { return between.parallel() && between.has_any_attributes(); });
  }

  void refuse_what_needs_mending() const {
    const std::string command = "; this command mends it: `" + mending_command(wanted_) + "`";
    if (!mending_.undirected && lacks_a_way_back_beside_others())
      throw Misuse(format_ + ": " + text_of(*one_way()->first) + " has no opposite, while other arcs have" +
                   command);
    if (const Between* between = opposites_differ(); between && !mending_.undirected)
      throw Misuse(format_ + ": " + text_of(*between->last) + " and its opposite differ in their attributes" +
                   command);
    const Between* const parallel = parallel_with_attributes();
    if (const DrawnLink* const second = parallel ? parallel->last : repeated_self_;
        second && !mending_.merge_links)
      throw Misuse(format_ + ": " + text_of(*second) +
                   " is there twice, with a weight, latency or bandwidth of its own" + command);
  }

  void add_notices(std::vector<std::string>& notices) const {
    if (headless_ > 0)
      notices.push_back(counted_things(headless_, "arc") + " without arrow heads: links that go both ways");
    if (one_way() != nullptr && !mending_.undirected)
      notices.push_back("no arc has its opposite: " + counted_things(arcs_, "arc") +
                        " taken as links that go both ways");
    std::size_t repeated = 0;
    const Between* first = nullptr;
    for (const auto& [edge, between] : between_) {
      if (!between.parallel() || between.has_any_attributes()) continue;
      repeated += std::max(between.strands.there.size(), between.strands.back.size()) - 1;
      if (first == nullptr) first = &between;
    }
    if (repeated > 0)
      notices.push_back(counted_things(repeated, "parallel link") + " left out, for example a second " +
                        text_of(*first->last));
    if (skipped_selves_ > 0)
      notices.push_back(counted_things(skipped_selves_, "link") +
                        " of a peer with itself left out, for example of " + names_[first_skipped_]);
  }

  const DrawnGraph& drawn_;
  std::string format_;
  GraphMending mending_;
  GraphMending wanted_ = mending_;  ///< with all that the file needs
  std::vector<std::string> names_;
  std::map<std::string, PeerId> ids_;
  std::map<Edge, Between> between_;
  std::map<PeerId, double> self_weights_;
  const DrawnLink* repeated_self_ = nullptr;
  std::size_t headless_ = 0;
  std::size_t arcs_ = 0;
  std::size_t skipped_selves_ = 0;
  PeerId first_skipped_ = 0;
};

}  // namespace

AnnotatedGraph annotated(DrawnGraph drawn, const std::string& format, const GraphMending& mending) {
  if (drawn.peers.empty()) throw Misuse(format + ": the graph has no nodes");
  if (drawn.peers.size() > std::numeric_limits<PeerId>::max()) throw Misuse(format + ": too many nodes");
  std::ranges::stable_sort(drawn.peers, naturally_before, &DrawnPeer::id);
  return Folding(drawn, format, mending).made_graph();
}

std::string mending_command(const GraphMending& mending) {
  const bool plain = mending.file.find_first_of(" \t\n'\"\\$`*?[]{}()<>|&;!#~") == std::string::npos;
  std::string file = mending.file;
  for (std::size_t at = file.find('\''); !plain && at != file.npos; at = file.find('\'', at + 4))
    file.replace(at, 1, "'\\''");
  return "hearsay topology " + (plain ? file : "'" + file + "'") +
         (mending.undirected ? " --undirected" : "") + (mending.merge_links ? " --merge-links" : "") +
         (mending.largest_component ? " --largest-component" : "") +
         (mending.network_from_geo ? " --network-from geo" : "") + " --write new.toml";
}

}  // namespace hearsay

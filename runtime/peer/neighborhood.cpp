#include "runtime/peer/neighborhood.hpp"

#include <algorithm>
#include <iterator>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr double rounding = 1e-9;  // of a sum of weights

}  // namespace

Neighborhood::Neighborhood(MixingRow row, std::vector<std::uint32_t> degrees, WeightsFollow follow)
    : follow_(follow), degree_(static_cast<std::uint32_t>(row.hears.size())), next_degree_(degree_) {
  ensure(degrees.size() == row.hears.size(), "every neighbor has a degree");
  for (std::size_t k = 0; k < degrees.size(); ++k)
    edges_.push_back(
        {.neighbor = row.hears[k].id, .weight = row.hears[k].weight, .degrees = {{0, degrees[k]}}});
}

const Neighborhood::Edge* Neighborhood::find(PeerId neighbor) const {
  const auto found = std::ranges::lower_bound(edges_, neighbor, {}, &Edge::neighbor);
  return found != edges_.end() && found->neighbor == neighbor ? &*found : nullptr;
}

Neighborhood::Edge& Neighborhood::of(PeerId neighbor) {
  const Edge* const edge = find(neighbor);
  ensure(edge, "only neighbors come and go");
  return const_cast<Edge&>(*edge);
}

void Neighborhood::leave_out(PeerId neighbor) {
  Edge& edge = of(neighbor);
  ensure(iteration_ == 0 && !edge.lost, "an edge is left out once, before anything happens");
  edge.lost = true;
  part(edge, 0);
  --next_degree_;
  disturbed_ = true;
}

void Neighborhood::lose(PeerId neighbor) { of(neighbor).lost = true; }

bool Neighborhood::is_lost(PeerId neighbor) const {
  const Edge* const edge = find(neighbor);
  return edge && edge->lost;
}

bool Neighborhood::lacks(PeerId neighbor, std::uint64_t iteration) const {
  const Edge* const edge = find(neighbor);
  return edge && (edge->lost || (edge->in_from != never && iteration < edge->in_from));
}

void Neighborhood::depart(PeerId neighbor, std::uint64_t iteration) {
  Edge& edge = of(neighbor);
  disturbed_ = true;
  if (!edge.is_in(iteration)) return;
  part(edge, iteration);
  if (edge.in_from > iteration && edge.in_from != never) return;  // it will be in again
  edge.lost = true;
  edge.in_from = never;
}

void Neighborhood::part(Edge& edge, std::uint64_t iteration) {
  edge.out_from = iteration;
  Parting* const last = last_parting(edge.neighbor);
  if (last && last->from >= iteration)
    last->from = iteration;  // the parting was expected to begin later
  else
    partings_.push_back({edge.neighbor, iteration, never, weight_of(edge)});
}

Parting* Neighborhood::last_parting(PeerId neighbor) {
  const auto last = std::ranges::find(partings_.rbegin(), partings_.rend(), neighbor, &Parting::neighbor);
  return last == partings_.rend() ? nullptr : &*last;
}

void Neighborhood::attach(PeerId neighbor, std::uint64_t iteration) {
  Edge& edge = of(neighbor);
  ensure(iteration >= iteration_ + 2, "an edge comes back when its degree can still be announced");
  ensure(edge.lost, "only what is out comes back");
  edge.lost = false;
  if (edge.is_in(iteration_)) part(edge, iteration_ + 1);  // the neighbor's message of this iteration counts
  edge.in_from = last_parting(neighbor)->until = iteration;
  edge.degrees.resize(
      1);  // the neighbor will announce its degree; a predecessor's announcements must not count
  disturbed_ = true;
}

bool Neighborhood::is_out(const MessageKey& key) const {
  const Edge* const edge = find(key.sender);
  return edge && !edge->is_in(key.iteration);
}

std::vector<PeerId> Neighborhood::attached_at(std::uint64_t iteration) const {
  std::vector<PeerId> attached;
  for (const Edge& edge : edges_)
    if (edge.in_from == iteration) attached.push_back(edge.neighbor);
  return attached;
}

void Neighborhood::hear_degree(PeerId neighbor, std::uint64_t iteration, std::uint32_t degree) {
  Edge& edge = of(neighbor);
  auto& degrees = edge.degrees;
  const auto later = std::ranges::upper_bound(degrees, iteration, {}, [](const auto& d) { return d.first; });
  const bool is_news = later == degrees.begin() || std::prev(later)->second != degree;
  // Kept even if nothing changes: an earlier announcement may arrive later, and must not hold beyond this
  // one.
  degrees.insert(later, {iteration, degree});
  forget_the_past(edge);
  if (is_news) disturbed_ = true;
}

void Neighborhood::begin(std::uint64_t iteration) {
  ensure(iteration > iteration_, "iterations are begun in order");
  iteration_ = iteration;
  degree_ = next_degree_;
  next_degree_ = static_cast<std::uint32_t>(
      std::ranges::count_if(edges_, [&](const Edge& edge) { return edge.is_in(iteration + 1); }));
  for (Edge& edge : edges_) forget_the_past(edge);
}

void Neighborhood::forget_the_past(Edge& edge) const {
  while (edge.degrees.size() > 1 && edge.degrees[1].first <= iteration_)
    edge.degrees.erase(edge.degrees.begin());
}

double Neighborhood::weight_of(const Edge& edge) const {
  if (follow_ != WeightsFollow::degrees) return edge.weight;
  return 1.0 / static_cast<double>(1 + std::max(degree_, edge.degrees.front().second));
}

MixingRow Neighborhood::row() const {
  MixingRow row;
  double others = 0.0;
  for (const Edge& edge : edges_) {
    if (!edge.is_in(iteration_)) continue;
    const double weight = weight_of(edge);
    row.hears.push_back({edge.neighbor, weight});
    row.heard_by.push_back(edge.neighbor);
    others += weight;
  }
  ensure(others <= 1.0 + rounding, "the weights of the edges that are in are those of a stochastic row");
  row.self_weight = 1.0 - others;
  return row;
}

MixingRow Neighborhood::without_those_out(MixingRow scheduled) const {
  const auto out = [this](PeerId neighbor) { return !find(neighbor)->is_in(iteration_); };
  std::erase_if(scheduled.hears, [&](const WeightedNeighbor& heard) { return out(heard.id); });
  std::erase_if(scheduled.heard_by, out);
  return scheduled;
}

}  // namespace hearsay

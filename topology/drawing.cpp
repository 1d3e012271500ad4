#include "topology/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <optional>

#include "topology/fixed_graphs.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/markup.hpp"

namespace hearsay {
namespace {

struct PicturePoint {
  double x;
  double y;
};

struct Layout {
  std::vector<PicturePoint> points;  ///< in units of the distance between neighbors
  bool wraps = false;                ///< links longer than 1 are drawn as arcs
};

std::optional<Layout> rows_and_columns(const Graph& graph) {
  const PeerId n = graph.peer_count();
  for (PeerId rows = 2; rows <= n / 2; ++rows) {
    const PeerId columns = n / rows;
    // In a grid and in a torus, peer 0 is linked with the first peer of the second row.
    if (n % rows != 0 || !graph.adjacent(0, 1) || !graph.adjacent(0, columns)) continue;
    const bool is_grid = graph.edges() == grid_graph(rows, columns).edges();
    if (!is_grid && graph.edges() != torus_graph(rows, columns).edges()) continue;
    Layout layout{{}, !is_grid};
    for (PeerId peer = 0; peer < n; ++peer)
      layout.points.push_back({static_cast<double>(peer % columns), static_cast<double>(peer / columns)});
    return layout;
  }
  return std::nullopt;
}

/// All peers on a circle, clockwise from the top; the hub of a star is in the center.
Layout circle(const Graph& graph) {
  const PeerId n = graph.peer_count();
  std::optional<PeerId> hub;
  if (n > 3 && graph.edges().size() == n - 1u)
    for (PeerId peer = 0; peer < n; ++peer)
      if (graph.degree(peer) == n - 1) hub = peer;
  const double around = hub ? n - 1 : n;
  const double radius = n == 1 ? 0.0 : std::max(1.0, around / (2.0 * std::numbers::pi));
  Layout layout;
  double place = 0.0;
  for (PeerId peer = 0; peer < n; ++peer) {
    if (peer == hub) {
      layout.points.push_back({0.0, 0.0});
      continue;
    }
    const double angle = 2.0 * std::numbers::pi * place++ / around;
    layout.points.push_back({radius * std::sin(angle), -radius * std::cos(angle)});
  }
  return layout;
}

template <class... Values>
std::string printed(const char* format, Values... values) {
  std::array<char, 256> text;
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  ensure(length >= 0 && length < static_cast<int>(text.size()), "an SVG element fits its line");
  return std::string(text.data(), static_cast<std::size_t>(length));
}

/// The text on one line, as an element says it.
std::string label(std::string text) {
  std::ranges::replace_if(
      text, [](char letter) { return static_cast<unsigned char>(letter) < 0x20; }, ' ');
  return markup_text(text);
}

std::string link_element(PicturePoint a, PicturePoint b, bool arc) {
  if (!arc) return printed("<path d=\"M%.1f %.1fL%.1f %.1f\"/>\n", a.x, a.y, b.x, b.y);
  // The control point is off the straight line by a quarter of its length, so that the curve passes beside
  // the peers in between.
  const PicturePoint middle{0.5 * (a.x + b.x) + 0.25 * (b.y - a.y), 0.5 * (a.y + b.y) - 0.25 * (b.x - a.x)};
  return printed("<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>\n", a.x, a.y, middle.x, middle.y, b.x, b.y);
}

}  // namespace

std::string to_svg(const Graph& graph, const std::vector<std::string>& names, PeerId most_labeled) {
  ensure(names.empty() || names.size() == graph.peer_count(), "there is a name for every peer or for none");
  const std::optional<Layout> lattice = rows_and_columns(graph);
  const Layout layout = lattice ? *lattice : circle(graph);
  const bool named = graph.peer_count() <= most_labeled;
  const double unit = named ? 60.0 : 20.0;
  const double radius = named ? 14.0 : 4.0;

  std::vector<PicturePoint> points;
  PicturePoint low{0.0, 0.0};
  PicturePoint high{0.0, 0.0};
  for (const PicturePoint& point : layout.points) {
    points.push_back({unit * point.x, unit * point.y});
    low = {std::min(low.x, points.back().x), std::min(low.y, points.back().y)};
    high = {std::max(high.x, points.back().x), std::max(high.y, points.back().y)};
  }
  // Arcs bulge by an eighth of their length.
  const double margin =
      2.0 * radius + (layout.wraps ? 0.125 * std::max(high.x - low.x, high.y - low.y) : 0.0);
  const double width = high.x - low.x + 2.0 * margin;
  const double height = high.y - low.y + 2.0 * margin;

  std::string svg = printed(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.1f\" height=\"%.1f\" viewBox=\"%.1f %.1f %.1f "
      "%.1f\">\n",
      width, height, low.x - margin, low.y - margin, width, height);
  svg += "<g fill=\"none\" stroke=\"#8a94a6\">\n";
  for (const auto& [a, b] : graph.edges()) {
    const double length = std::hypot(points[a].x - points[b].x, points[a].y - points[b].y);
    svg += link_element(points[a], points[b], layout.wraps && length > 1.5 * unit);
  }
  svg += "</g>\n<g fill=\"#2f6fde\" stroke=\"white\">\n";
  for (const PicturePoint& point : points)
    svg += printed("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", point.x, point.y, radius);
  svg += "</g>\n";
  if (named) {
    svg += "<g fill=\"white\" font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n";
    for (PeerId peer = 0; peer < graph.peer_count(); ++peer)
      svg += printed("<text x=\"%.1f\" y=\"%.1f\">", points[peer].x, points[peer].y + 4.0) +
             label(names.empty() ? std::to_string(peer) : names[peer]) + "</text>\n";
    svg += "</g>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace hearsay

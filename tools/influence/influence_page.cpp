#include "tools/influence/influence_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "tools/terminal/human_text.hpp"
#include "topology/foundation/markup.hpp"

namespace hearsay {

namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; font-weight: 600; }
ul { display: flex; flex-wrap: wrap; gap: .6rem; list-style: none; padding: 0; margin: .3rem 0 1rem; }
li, figure { margin: 0; font-size: .8rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
img { width: 64px; height: 64px; image-rendering: pixelated; display: block; }
figure img { width: 112px; height: 112px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .8rem .15rem 0; text-align: right; }
th { font-weight: 600; }
td:nth-child(3) { min-width: 12rem; text-align: left; }
.bar { display: inline-block; height: .8em; background: #3b7dd8; vertical-align: baseline; }
.bar.against { background: #d8693b; }
)css";

/// The text in quotes, as the value of an attribute.
std::string attribute(std::string_view text) {
  std::string result = "\"";
  for (const char letter : markup_text(text)) result += letter == '"' ? "&quot;" : std::string(1, letter);
  return result + "\"";
}

std::string base64(const std::vector<unsigned char>& bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - k);
    unsigned group = 0;
    for (std::size_t b = 0; b < 3; ++b) group = group << 8 | (b < left ? bytes[k + b] : 0U);
    for (std::size_t letter = 0; letter < 4; ++letter)
      text += letter <= left ? letters[group >> (18 - 6 * letter) & 63] : '=';
  }
  return text;
}

void put(std::vector<unsigned char>& bytes, std::uint32_t value, std::size_t count) {
  for (std::size_t b = 0; b < count; ++b) bytes.push_back(static_cast<unsigned char>(value >> (8 * b)));
}

std::string picture(const std::function<std::string(Index)>& of, Index row, const std::string& says) {
  return of ? "<img src=\"" + of(row) + "\" alt=" + attribute(says) + ">" : "";
}

/// Returns samples with their influences, as a list.
std::string list_of(const InfluenceFindings& found, const std::vector<Index>& chosen,
                    const Vector<double>& values, const Pictures& pictures) {
  std::string text = "<ul>\n";
  for (const Index index : chosen) {
    const TrainedSample& sample = found.samples[static_cast<std::size_t>(index)];
    const std::string name = "sample " + std::to_string(sample.row);
    text += "<li>" + picture(pictures.of_training, sample.row, name) + "label " +
            significant(sample.label, 6) + "<br>" + significant(values[index], 3) + "<br>" + name +
            "<br>peer " + std::to_string(sample.peer) + "</li>\n";
  }
  return text + "</ul>\n";
}

std::string peers_table(const InfluenceFindings& found) {
  const std::vector<std::uint64_t> sizes = found.shard_sizes();
  const Vector<double> influence = found.of_peers_on_tests.col(0);
  const double largest = std::max(influence.cwiseAbs().maxCoeff(), 1e-300);
  std::string text =
      "<table>\n<tr><th>peer</th><th>samples</th><th>influence on the test samples</th><th>a "
      "sample</th></tr>\n";
  for (Index peer = 0; peer < influence.size(); ++peer) {
    const std::uint64_t size = sizes[static_cast<std::size_t>(peer)];
    if (size == 0) continue;
    text += "<tr><td>" + std::to_string(peer) + "</td><td>" + grouped(size) + "</td><td><span class=\"bar" +
            (influence[peer] < 0.0 ? " against" : "") +
            "\" style=\"width: " + fixed(8.0 * std::abs(influence[peer]) / largest, 2) + "rem\"></span> " +
            significant(influence[peer]) + "</td><td>" +
            significant(influence[peer] / static_cast<double>(size)) + "</td></tr>\n";
  }
  return text + "</table>\n";
}

}  // namespace

std::optional<PictureShape> picture_shape(const std::string& source, Index features) {
  const bool colors = source.starts_with("cifar10:");
  if (!colors && !source.starts_with("idx:")) return std::nullopt;
  const Index channels = colors ? 3 : 1;
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(features / channels))));
  if (side < 1 || channels * side * side != features) return std::nullopt;
  return PictureShape{channels, side};
}

std::string picture_address(const PictureShape& shape, std::span<const double> values) {
  const auto [least, most] = std::ranges::minmax(values);
  const double range = most > least ? most - least : 1.0;
  const auto side = static_cast<std::uint32_t>(shape.side);
  const std::uint32_t padding = (4 - 3 * side % 4) % 4;
  const std::uint32_t pixels = side * (3 * side + padding);
  std::vector<unsigned char> bytes = {'B', 'M'};
  for (const std::uint32_t field : {54 + pixels, 0U, 54U, 40U, side, side}) put(bytes, field, 4);
  put(bytes, 1, 2);
  put(bytes, 24, 2);
  for (const std::uint32_t field : {0U, pixels, 2835U, 2835U, 0U, 0U}) put(bytes, field, 4);
  for (Index line = shape.side; line-- > 0;) {  // the lowest first
    for (Index column = 0; column < shape.side; ++column)
      for (Index color = 2; color >= 0; --color) {  // blue first
        const Index channel = shape.channels == 3 ? color : 0;
        const auto at = static_cast<std::size_t>((channel * shape.side + line) * shape.side + column);
        bytes.push_back(static_cast<unsigned char>(std::lround(255.0 * (values[at] - least) / range)));
      }
    put(bytes, 0, padding);
  }
  return "data:image/bmp;base64," + base64(bytes);
}

std::string influence_page(const InfluenceFindings& found, std::size_t top, const Pictures& pictures) {
  std::string text =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>influence: " +
      markup_text(found.run) + "</title>\n<meta name=\"viewport\" content=\"width=device-width\">\n<style>" +
      std::string(style) + "</style>\n</head>\n<body>\n<h1>Influence in " + markup_text(found.run) +
      "</h1>\n";
  text += "<p>" + grouped(found.samples.size()) + " training samples, " +
          counted(found.kept, "kept iteration") + ". Training took the mean loss of " +
          counted(found.test_count, "test sample") + " from " + significant(found.loss_before) + " to " +
          significant(found.loss_after) + "; all influences add up to " + significant(found.total()) +
          ". An influence is by how much training on a sample lowered a loss.</p>\n";
  for (std::size_t row = 0; row < found.rows.size(); ++row) {
    const TestSample& test = found.rows[row];
    const Vector<double> values = found.on_tests.col(static_cast<Index>(row) + 1);
    const std::string name = "test sample " + std::to_string(test.row);
    text += "<h2>Test sample " + std::to_string(test.row) + "</h2>\n<figure>" +
            picture(pictures.of_test, test.row, name) + "<figcaption>label " + significant(test.label, 6) +
            ", loss " + significant(test.loss) +
            "</figcaption></figure>\n<h3>What lowered its loss most</h3>\n" +
            list_of(found, extremes(values, top, true), values, pictures) + "<h3>What raised it most</h3>\n" +
            list_of(found, extremes(values, top, false), values, pictures);
  }
  text += "<h2>The most influence on itself: wrong labels and rare samples</h2>\n" +
          list_of(found, extremes(found.on_itself, top, true), found.on_itself, pictures) +
          "<h2>Peers</h2>\n" + peers_table(found);
  return text + "</body>\n</html>\n";
}

}  // namespace hearsay

#include "tools/influence/sample_pictures.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hearsay {

namespace {

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

}  // namespace hearsay

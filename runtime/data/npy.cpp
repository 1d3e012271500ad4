#include "runtime/data/npy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "runtime/data/data_file.hpp"
#include "runtime/foundation/whole_file.hpp"

namespace hearsay {

namespace {

/// Returns the header's dictionary from the value of `key` on.
std::string_view value_of(const std::filesystem::path& path, std::string_view header, std::string_view key) {
  const auto at = header.find("'" + std::string(key) + "'");
  const auto colon = at == std::string_view::npos ? at : header.find_first_not_of(' ', at + key.size() + 2);
  if (colon == std::string_view::npos || header[colon] != ':')
    throw bad_offset(path, npy_magic.size() + 2, "the header names no " + std::string(key));
  header.remove_prefix(colon + 1);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::vector<Index> parse_npy_shape(const std::filesystem::path& path, std::string_view text) {
  const auto close = text.find(')');
  if (!begins_with(text, "(") || close == std::string_view::npos)
    throw bad_offset(path, npy_magic.size() + 2, "the shape is not a tuple");
  text = text.substr(1, close - 1);
  std::vector<Index> shape;
  while (text.find_first_not_of(' ') != std::string_view::npos) {
    text.remove_prefix(text.find_first_not_of(' '));
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc{} || extent < 0)
      throw bad_offset(path, npy_magic.size() + 2, "the shape holds something else than whole numbers");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (begins_with(text, ","))
      text.remove_prefix(1);
    else if (!text.empty())
      throw bad_offset(path, npy_magic.size() + 2, "the shape holds something else than whole numbers");
    shape.push_back(extent);
  }
  return shape;
}

/// Returns "50 x 4".
std::string shape_text(const std::vector<Index>& shape) {
  std::string text;
  for (const Index extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text.empty() ? "a single number" : text;
}

/// IEEE 754 of 16 bits.
struct Half {
  std::uint16_t bits;
  explicit operator double() const {
    const double sign = bits & 0x8000 ? -1.0 : 1.0;
    const int exponent = bits >> 10 & 0x1f;
    const int fraction = bits & 0x3ff;
    if (exponent == 0x1f)
      return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                           : std::numeric_limits<double>::quiet_NaN();
    return sign * std::ldexp(exponent == 0 ? fraction : fraction + 1024, std::max(exponent, 1) - 25);
  }
  explicit operator float() const { return static_cast<float>(static_cast<double>(*this)); }
};

/// One byte, 0 or 1.
struct Boolean {
  std::uint8_t byte;
  explicit operator double() const { return byte != 0 ? 1.0 : 0.0; }
  explicit operator float() const { return byte != 0 ? 1.0F : 0.0F; }
};

/// Converts items of Stored. This program runs on little-endian machines only.
template <class Stored, class Scalar>
Vector<Scalar> convert(std::string_view bytes, bool big_endian) {
  Vector<Scalar> values(static_cast<Index>(bytes.size() / sizeof(Stored)));
  for (Index k = 0; k < values.size(); ++k) {
    std::array<char, sizeof(Stored)> raw;
    std::memcpy(raw.data(), bytes.data() + static_cast<std::size_t>(k) * sizeof(Stored), sizeof(Stored));
    if (big_endian) std::ranges::reverse(raw);
    values[k] = static_cast<Scalar>(std::bit_cast<Stored>(raw));
  }
  return values;
}

template <class Scalar>
struct ItemType {
  std::string_view name;  // without the byte order
  std::size_t bytes;
  Vector<Scalar> (*convert)(std::string_view, bool big_endian);
  bool big_endian = false;
};

/// Returns the item type with which the text begins: a text in quotes, or a list or tuple in brackets.
std::string spelled_type(std::string_view descr) {
  std::size_t depth = 0;
  bool in_quotes = false;
  std::size_t end = 0;
  for (; end < descr.size(); ++end) {
    const char letter = descr[end];
    if (letter == '\'') in_quotes = !in_quotes;
    if (in_quotes) continue;
    if (depth == 0 && (letter == ',' || letter == '}')) break;
    if (letter == '[' || letter == '(') ++depth;
    if ((letter == ']' || letter == ')') && depth > 0) --depth;
  }
  constexpr std::size_t longest = 80;
  return std::string(descr.substr(0, std::min(end, longest))) + (end > longest ? " ..." : "");
}

/// Returns the Misuse for items that are no numbers: what they are, and what makes numbers of them.
Misuse no_numbers(const std::filesystem::path& path, std::string_view descr) {
  const auto refusal = [&](const std::string& noun, const std::string& expectation) {
    return bad_offset(path, npy_magic.size() + 2,
                      "the items are " + noun + spelled_type(descr) + "; expected " + expectation);
  };
  if (begins_with(descr, "["))
    return refusal("records, ",
                   "numbers of one type, such as numpy.lib.recfunctions.structured_to_unstructured(array)");
  if (begins_with(descr, "(")) return refusal("arrays, ", "numbers, and more dimensions instead");
  const char kind = descr.size() > 2 ? descr[2] : '\0';
  if (kind == 'U' || kind == 'S')
    return refusal("text, ", "numbers, such as the places in numpy.unique(array, return_inverse=True)");
  const std::string noun = kind == 'O'                  ? "Python objects, "
                           : kind == 'M' || kind == 'm' ? "times, "
                           : kind == 'c'                ? "complex numbers, "
                           : kind == 'V'                ? "raw bytes, "
                                                        : "";
  return refusal(noun,
                 "bool, integers of 1, 2, 4 or 8 bytes, or floats of 2, 4 or 8, such as "
                 "array.astype('float32')");
}

template <class Scalar>
ItemType<Scalar> item_type(const std::filesystem::path& path, std::string_view descr) {
  const ItemType<Scalar> known[] = {
      {"f2", 2, convert<Half, Scalar>},          {"f4", 4, convert<float, Scalar>},
      {"f8", 8, convert<double, Scalar>},        {"b1", 1, convert<Boolean, Scalar>},
      {"i1", 1, convert<std::int8_t, Scalar>},   {"i2", 2, convert<std::int16_t, Scalar>},
      {"i4", 4, convert<std::int32_t, Scalar>},  {"i8", 8, convert<std::int64_t, Scalar>},
      {"u1", 1, convert<std::uint8_t, Scalar>},  {"u2", 2, convert<std::uint16_t, Scalar>},
      {"u4", 4, convert<std::uint32_t, Scalar>}, {"u8", 8, convert<std::uint64_t, Scalar>}};
  if (descr.size() >= 5 && descr[0] == '\'' && descr[4] == '\'')
    for (ItemType<Scalar> type : known) {
      const char order = descr[1];
      const bool ordered = order == '<' || order == '>' || (order == '|' && type.bytes == 1);
      if (!ordered || descr.substr(2, 2) != type.name) continue;
      type.big_endian = order == '>';
      return type;
    }
  throw no_numbers(path, descr);
}

/// Returns the values, which are in Fortran order, in C order.
template <class Scalar>
Vector<Scalar> in_c_order(const std::vector<Index>& shape, const Vector<Scalar>& values) {
  Vector<Scalar> ordered(values.size());
  std::vector<Index> at(shape.size(), 0);  // of the next value, the first index fastest
  for (const Scalar value : values) {
    Index place = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) place = place * shape[axis] + at[axis];
    ordered[place] = value;
    for (std::size_t axis = 0; axis < shape.size() && ++at[axis] == shape[axis]; ++axis) at[axis] = 0;
  }
  return ordered;
}

}  // namespace

template <class Scalar>
NpyArray<Scalar> read_npy(const std::filesystem::path& path) {
  DataMemory no_limit;
  return read_npy<Scalar>(path, no_limit);
}

template <class Scalar>
NpyArray<Scalar> read_npy(const std::filesystem::path& path, DataMemory& memory) {
  return npy_array<Scalar>(path, read_data_file(path, memory));
}

template <class Scalar>
NpyArray<Scalar> npy_array(const std::filesystem::path& path, std::string_view bytes) {
  if (!begins_with(bytes, npy_magic)) throw bad_offset(path, 0, "this is not a .npy file");
  const auto byte = [&](std::size_t at) -> std::size_t {
    if (at >= bytes.size()) throw bad_offset(path, bytes.size(), "the file ends inside its header");
    return static_cast<unsigned char>(bytes[at]);
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    throw bad_offset(path, 6, "format version " + std::to_string(version) + ", expected 1, 2 or 3");
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > bytes.size() - begin) throw bad_offset(path, bytes.size(), "the file ends inside its header");
  const std::string_view header = bytes.substr(begin, length);
  const std::string_view data = bytes.substr(begin + length);

  const ItemType<Scalar> type = item_type<Scalar>(path, value_of(path, header, "descr"));
  const std::string_view order = value_of(path, header, "fortran_order");
  const bool fortran_order = begins_with(order, "True");
  if (!fortran_order && !begins_with(order, "False"))
    throw bad_offset(path, begin, "fortran_order is neither True nor False");
  NpyArray<Scalar> array{parse_npy_shape(path, value_of(path, header, "shape")), {}};
  // Compared by division, because the product of damaged extents may overflow.
  std::size_t items = std::ranges::find(array.shape, Index{0}) == array.shape.end() ? 1 : 0;
  bool fits = true;
  for (const Index extent : array.shape) {
    const auto wide = static_cast<std::size_t>(extent);
    fits = fits && (wide == 0 || items <= data.size() / wide);
    items = fits ? items * wide : 0;
  }
  if (!fits || items > data.size() / type.bytes || items * type.bytes != data.size())
    throw bad_offset(path, bytes.size(),
                     std::to_string(data.size()) + " bytes follow the header; expected those of its shape, " +
                         shape_text(array.shape) + ", at " + std::to_string(type.bytes) + " bytes a number");
  array.values = type.convert(data, type.big_endian);
  array.holds_floats = begins_with(type.name, "f");
  if (fortran_order && array.shape.size() > 1) array.values = in_c_order(array.shape, array.values);
  return array;
}

namespace {

/// Writes numbers of the type that NumPy calls `type`; their shape is a tuple of Python's.
template <class Number>
void write_numbers(const std::filesystem::path& path, const std::string& type, const std::string& shape,
                   std::span<const Number> numbers) {
  std::string header = "{'descr': '<" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // In this format the header ends with a line feed, and the data begin at a multiple of 64 bytes.
  header.append(63 - (npy_magic.size() + 4 + header.size()) % 64, ' ').push_back('\n');
  const char prefix[] = {1, 0, static_cast<char>(header.size() & 0xff),
                         static_cast<char>(header.size() >> 8)};

  const auto bytes = std::as_bytes(numbers);
  write_file(path, {npy_magic,
                    {prefix, sizeof prefix},
                    header,
                    {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
}

template <class Scalar>
constexpr const char* float_type = sizeof(Scalar) == 4 ? "f4" : "f8";

std::string one_axis(std::size_t extent) { return std::to_string(extent) + ","; }

}  // namespace

template <class Scalar>
void write_npy(const std::filesystem::path& path, const Vector<Scalar>& vector) {
  write_numbers<Scalar>(path, float_type<Scalar>, one_axis(view(vector).size()), view(vector));
}

template <class Scalar>
void write_npy(const std::filesystem::path& path, const NpyArray<Scalar>& array) {
  std::string shape;
  for (const Index extent : array.shape) shape += std::to_string(extent) + ",";
  write_numbers<Scalar>(path, float_type<Scalar>, shape, view(array.values));
}

void write_npy(const std::filesystem::path& path, std::span<const double> numbers) {
  write_numbers(path, "f8", one_axis(numbers.size()), numbers);
}

void write_npy(const std::filesystem::path& path, std::span<const std::uint64_t> numbers) {
  write_numbers(path, "u8", one_axis(numbers.size()), numbers);
}

template NpyArray<float> read_npy<float>(const std::filesystem::path&);
template NpyArray<float> read_npy<float>(const std::filesystem::path&, DataMemory&);
template NpyArray<double> read_npy<double>(const std::filesystem::path&);
template NpyArray<double> read_npy<double>(const std::filesystem::path&, DataMemory&);
template NpyArray<float> npy_array<float>(const std::filesystem::path&, std::string_view);
template NpyArray<double> npy_array<double>(const std::filesystem::path&, std::string_view);
template void write_npy<float>(const std::filesystem::path&, const Vector<float>&);
template void write_npy<double>(const std::filesystem::path&, const Vector<double>&);
template void write_npy<float>(const std::filesystem::path&, const NpyArray<float>&);
template void write_npy<double>(const std::filesystem::path&, const NpyArray<double>&);

}  // namespace hearsay

#include "runtime/foundation/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "runtime/foundation/longest_time.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {
namespace {

/// A unit is a power of ten times a factor. The power is applied to the decimal text, so it is not rounded.
struct Unit {
  std::string_view name;
  int power_of_ten;
  long double factor;
};

constexpr std::array bandwidth_units = {
    Unit{"bit/s", 0, 0.125L},  Unit{"kbit/s", 3, 0.125L},  Unit{"Mbit/s", 6, 0.125L},
    Unit{"Gbit/s", 9, 0.125L}, Unit{"Tbit/s", 12, 0.125L}, Unit{"B/s", 0, 1.0L},
    Unit{"kB/s", 3, 1.0L},     Unit{"MB/s", 6, 1.0L},      Unit{"GB/s", 9, 1.0L},
    Unit{"KiB/s", 0, 0x1p10L}, Unit{"MiB/s", 0, 0x1p20L},  Unit{"GiB/s", 0, 0x1p30L},
};
constexpr std::string_view bandwidth_expectation =
    "expected a number > 0 and a unit (bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s, B/s, kB/s, MB/s, GB/s, KiB/s, "
    "MiB/s, GiB/s), such as \"10 Mbit/s\", or \"unlimited\"";

constexpr std::array size_units = {
    Unit{"B", 0, 1.0L},   Unit{"kB", 3, 1.0L},     Unit{"MB", 6, 1.0L},     Unit{"GB", 9, 1.0L},
    Unit{"TB", 12, 1.0L}, Unit{"KiB", 0, 0x1p10L}, Unit{"MiB", 0, 0x1p20L}, Unit{"GiB", 0, 0x1p30L},
};
constexpr std::string_view size_expectation =
    "expected a number > 0 and a unit (B, kB, MB, GB, TB, KiB, MiB, GiB), such as \"8 GB\"";

constexpr std::array duration_units = {
    Unit{"ns", 0, 1.0L}, Unit{"us", 3, 1.0L},   Unit{"\u00b5s", 3, 1.0L}, Unit{"ms", 6, 1.0L},
    Unit{"s", 9, 1.0L},  Unit{"min", 9, 60.0L}, Unit{"h", 9, 3600.0L},
};
constexpr std::string_view duration_expectation =
    "expected a number >= 0 and a unit (ns, us, ms, s, min, h), such as \"5 ms\", at most 24 h";

constexpr std::array share_units = {Unit{"", 0, 1.0L}, Unit{"%", -2, 1.0L}};
constexpr std::string_view share_expectation = "expected a share between 0 and 1, such as 0.01 or \"1%\"";

/// A day. No latency is longer, and the sum of some ten thousand such times fits into 64 bits.
constexpr long double longest_parsed_ns = 86'400e9L;
constexpr auto longest_on_wire_ns = static_cast<long double>(longest_time.count());

/// A bandwidth outside these bounds is a typing error. Within them, 8 times and 2^-30 times the value are
/// exact.
constexpr double slowest_bytes_per_s = 1e-6;
constexpr double fastest_bytes_per_s = 1e18;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes an unsigned decimal number without exponent off the front of `text`; empty if there is none.
std::string_view take_decimal(std::string_view& text) {
  std::size_t end = 0;
  std::size_t digits = 0;
  for (bool point = false; end < text.size(); ++end) {
    if (is_digit(text[end]))
      ++digits;
    else if (text[end] == '.' && !point)
      point = true;
    else
      break;
  }
  const std::string_view decimal = digits > 0 ? text.substr(0, end) : std::string_view{};
  text.remove_prefix(decimal.size());
  return decimal;
}

/// Takes an exponent such as "e-3" off the front of `text` and returns it; 0 if there is none.
int take_exponent(std::string_view& text) {
  if (text.empty() || (text.front() != 'e' && text.front() != 'E')) return 0;
  const std::size_t sign = text.size() > 1 && text[1] == '+' ? 1 : 0;
  int exponent = 0;
  const char* const begin = text.data() + 1 + sign;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), exponent);
  if (error != std::errc{} || std::abs(exponent) > 4000) return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return exponent;
}

/// Returns the value of "NUMBER UNIT"; empty if `text` is not of this form or out of range. The unit's power
/// of ten is applied to the decimal text, before the conversion to `Number` rounds.
template <class Number>
std::optional<Number> parse_quantity(std::string_view text, std::span<const Unit> units) {
  text = trimmed(text);
  const std::string_view decimal = take_decimal(text);
  if (decimal.empty()) return std::nullopt;
  const int exponent = take_exponent(text);
  text = trimmed(text);
  for (const Unit& unit : units) {
    if (unit.name != text) continue;
    const std::string scaled = std::string(decimal) + "e" + std::to_string(exponent + unit.power_of_ten);
    Number number = 0;
    const auto [end, error] = std::from_chars(scaled.data(), scaled.data() + scaled.size(), number);
    if (error != std::errc{} || end != scaled.data() + scaled.size()) return std::nullopt;
    number *= static_cast<Number>(unit.factor);
    if (!std::isfinite(number)) return std::nullopt;
    return number;
  }
  return std::nullopt;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  result += text;
  return result += '"';
}

/// The digits and the exponent of a number: value = 0.DIGITS x 10^exponent.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal shortest_decimal(double value) {
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = text.find('e');
  Decimal decimal;
  for (const char c : text.substr(0, e))
    if (is_digit(c)) decimal.digits += c;
  decimal.exponent = std::stoi(std::string(text.substr(e + 1))) + 1;
  return decimal;
}

Decimal decimal_of(std::int64_t value) {
  std::string digits = std::to_string(value);
  const int exponent = static_cast<int>(digits.size());
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  return {digits, exponent};
}

/// Returns `decimal` x 10^-power without an exponent: the same digits with the decimal point moved.
std::string shifted(const Decimal& decimal, int power) {
  const int point = decimal.exponent - power;
  const int count = static_cast<int>(decimal.digits.size());
  if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + decimal.digits;
  if (point >= count) return decimal.digits + std::string(static_cast<std::size_t>(point - count), '0');
  const auto split = static_cast<std::size_t>(point);
  return decimal.digits.substr(0, split) + "." + decimal.digits.substr(split);
}

/// Keeps the text with the shortest number; the earlier one if two are equally short.
struct ShortestText {
  std::string number;
  std::string_view unit;
  void offer(std::string candidate, std::string_view candidate_unit) {
    if (!number.empty() && candidate.size() >= number.size()) return;
    number = std::move(candidate);
    unit = candidate_unit;
  }
  std::string text() const { return number + " " + std::string(unit); }
};

}  // namespace

Duration Bandwidth::time_for(std::uint64_t bytes) const {
  if (unlimited()) return Duration{0};
  const long double exact = static_cast<long double>(bytes) * 1e9L / static_cast<long double>(bytes_per_s);
  return Duration{std::llroundl(std::min(exact, longest_on_wire_ns))};
}

Bandwidth parse_bandwidth(std::string_view key, std::string_view text) {
  if (trimmed(text) == "unlimited") return Bandwidth{};
  const auto bytes_per_s = parse_quantity<double>(text, bandwidth_units);
  if (!bytes_per_s || *bytes_per_s < slowest_bytes_per_s || *bytes_per_s > fastest_bytes_per_s)
    throw Misuse(std::string(key), quoted(text), std::string(bandwidth_expectation));
  return Bandwidth{*bytes_per_s};
}

Duration parse_duration(std::string_view key, std::string_view text) {
  const auto ns = parse_quantity<long double>(text, duration_units);
  if (!ns || *ns > longest_parsed_ns)
    throw Misuse(std::string(key), quoted(text), std::string(duration_expectation));
  return Duration{std::llroundl(*ns)};
}

std::uint64_t parse_bytes(std::string_view key, std::string_view text) {
  const auto bytes = parse_quantity<long double>(text, size_units);
  if (!bytes || *bytes < 1.0L || *bytes > 0x1p60L)
    throw Misuse(std::string(key), quoted(text), std::string(size_expectation));
  return static_cast<std::uint64_t>(*bytes);
}

double parse_share(std::string_view key, std::string_view text) {
  const auto share = parse_quantity<double>(text, share_units);
  if (!share || *share > 1.0) throw Misuse(std::string(key), quoted(text), std::string(share_expectation));
  return *share;
}

std::string to_text(Bandwidth bandwidth) {
  if (bandwidth.unlimited()) return "unlimited";
  // 8 times and 2^-10 times a double are exact, so each candidate parses back to the same bits.
  const Decimal bits_per_s = shortest_decimal(bandwidth.bytes_per_s * 8.0);
  ShortestText shortest;
  for (const Unit& unit : bandwidth_units) {
    if (unit.factor == 0.125L) {
      shortest.offer(shifted(bits_per_s, unit.power_of_ten), unit.name);
    } else if (unit.factor > 1.0L) {
      const double number = bandwidth.bytes_per_s / static_cast<double>(unit.factor);
      shortest.offer(shifted(shortest_decimal(number), 0), unit.name);
    }
  }
  return shortest.text();
}

std::string to_text(Duration duration) {
  const std::string sign = duration < Duration{0} ? "-" : "";
  if (duration == Duration{0}) return "0 s";
  const Decimal ns = decimal_of(std::abs(duration.count()));
  constexpr std::array<std::pair<std::string_view, int>, 4> units = {
      {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}}};
  ShortestText shortest;
  for (const auto& [unit, power_of_ten] : units) shortest.offer(shifted(ns, power_of_ten), unit);
  return sign + shortest.text();
}

double seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e9; }

}  // namespace hearsay

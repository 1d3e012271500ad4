#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay {

/// Durations and instants are whole nanoseconds, so that virtual time has no rounding of its own.
using Duration = std::chrono::nanoseconds;
/// The clock of a run: virtual in the simulator, CLOCK_MONOTONIC in the ZeroMQ driver.
struct RunClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<RunClock>;
};
using Instant = RunClock::time_point;

/// A bandwidth; unlimited by default.
struct Bandwidth {
  double bytes_per_s = 0.0;  ///< 0 = unlimited
  bool unlimited() const { return bytes_per_s == 0.0; }
  /// Returns the time of `bytes` bytes on the wire, rounded to the nearest nanosecond; at most 1e18 ns (some
  /// 30 years).
  Duration time_for(std::uint64_t bytes) const;
  bool operator==(const Bandwidth&) const = default;
};

// Parsers of values as users write them: a number and a unit, "10 Mbit/s", "5 ms", "1%". They throw Misuse
// for a wrong or missing unit and for a value out of range; the message names the setting by `key`.

/// "10 Mbit/s", "1.5 MB/s" (decimal: 1e6 bytes), "125 MiB/s" (2^20), "unlimited"; never 0.
Bandwidth parse_bandwidth(std::string_view key, std::string_view text);
/// "5 ms", "20 us", "2 min"; rounded to the nearest nanosecond, at most a day.
Duration parse_duration(std::string_view key, std::string_view text);
/// A size: "8 GB" (decimal: 1e9 bytes), "512 MiB" (2^20); at least a byte, at most 2^60.
std::uint64_t parse_bytes(std::string_view key, std::string_view text);
/// A probability or share: "1%", "0.01"; within [0, 1].
double parse_share(std::string_view key, std::string_view text);

/// Returns the shortest spelling that parses back to the same value, in bits per second or, if that is
/// shorter, in KiB/s, MiB/s or GiB/s.
std::string to_text(Bandwidth bandwidth);
/// Returns the shortest spelling in ns, us, ms or s; the smaller unit if two are equally short. It parses
/// back to the same value.
std::string to_text(Duration duration);
double seconds(Duration duration);

}  // namespace hearsay

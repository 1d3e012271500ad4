#include "runtime/foundation/units.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::units_test {

namespace {

RandomStream random_stream(std::uint64_t seed) { return RandomStream(seed, 0, 0, Purpose::network); }

std::string refusal(auto parse, const std::string& text) {
  return misuse_text([&] { parse("network.key", text); });
}

}  // namespace

TEST_CASE("units: every bandwidth unit is its number of bytes per second, exactly") {
  const std::vector<std::pair<std::string, double>> units = {
      {"bit/s", 0.125},  {"kbit/s", 125.0}, {"Mbit/s", 125e3},    {"Gbit/s", 125e6},
      {"Tbit/s", 125e9}, {"B/s", 1.0},      {"kB/s", 1e3},        {"MB/s", 1e6},
      {"GB/s", 1e9},     {"KiB/s", 1024.0}, {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0}};
  for (const auto& entry : units) {
    const std::string& unit = entry.first;
    const auto bytes_per_s = entry.second;
    CAPTURE(unit);
    CHECK(parse_bandwidth("k", "1 " + unit).bytes_per_s == bytes_per_s);
    CHECK(parse_bandwidth("k", "12 " + unit).bytes_per_s == 12 * bytes_per_s);
    CHECK(parse_bandwidth("k", "0.5" + unit).bytes_per_s == 0.5 * bytes_per_s);
    CHECK(parse_bandwidth("k", "  2e1  " + unit + " ").bytes_per_s == 20 * bytes_per_s);
  }
  CHECK(parse_bandwidth("k", "10 Mbit/s").bytes_per_s == 1.25e6);
  // One rounding only: 0.1 x 1e6 / 8 in three roundings would not give 12500.
  CHECK(parse_bandwidth("k", "0.1 Mbit/s").bytes_per_s == 12500.0);
  CHECK(parse_bandwidth("k", "1.1 Gbit/s").bytes_per_s == 137500000.0);
  CHECK(parse_bandwidth("k", "unlimited").unlimited());
}

TEST_CASE("units: every duration unit is its number of nanoseconds, exactly") {
  const std::vector<std::pair<std::string, std::int64_t>> units = {{"ns", 1},
                                                                   {"us", 1'000},
                                                                   {"\u00b5s", 1'000},
                                                                   {"ms", 1'000'000},
                                                                   {"s", 1'000'000'000},
                                                                   {"min", 60'000'000'000},
                                                                   {"h", 3'600'000'000'000}};
  for (const auto& entry : units) {
    const std::string& unit = entry.first;
    const auto ns = entry.second;
    CAPTURE(unit);
    CHECK(parse_duration("k", "0 " + unit) == Duration{0});
    CHECK(parse_duration("k", "1 " + unit) == Duration{ns});
    CHECK(parse_duration("k", "7" + unit) == Duration{7 * ns});
    if (ns > 1) CHECK(parse_duration("k", "2.5 " + unit) == Duration{5 * ns / 2});
  }
  CHECK(parse_duration("k", "1.5 s") == Duration{1'500'000'000});
  CHECK(parse_duration("k", "86399.999999999 s") == Duration{86'399'999'999'999});
}

TEST_CASE("units: a share is a fraction or a percentage") {
  CHECK(parse_share("k", "1%") == 0.01);
  CHECK(parse_share("k", "0.01") == 0.01);
  CHECK(parse_share("k", "0.1 %") == 0.001);
  CHECK(parse_share("k", "0") == 0.0);
  CHECK(parse_share("k", "100%") == 1.0);
  CHECK(contains(refusal(parse_share, "101%"), "between 0 and 1"));
  CHECK(contains(refusal(parse_share, "1.01"), "between 0 and 1"));
}

TEST_CASE("units: a size is a number of bytes, decimal or binary") {
  CHECK(parse_bytes("k", "8 GB") == 8'000'000'000u);
  CHECK(parse_bytes("k", "1.5 kB") == 1500u);
  CHECK(parse_bytes("k", "512 MiB") == 512u << 20);
  CHECK(parse_bytes("k", "1 B") == 1u);
  for (const std::string text : {"8", "0 B", "0.5 B", "-1 GB", "8 gb", "8 Gbit", "2000000 TB", ""}) {
    CAPTURE(text);
    CHECK(contains(refusal(parse_bytes, text), "such as \"8 GB\""));
  }
}

TEST_CASE("units: a wrong, missing or misplaced unit is refused with the accepted ones") {
  for (const std::string text : {"10",
                                 "10 Mbits",
                                 "10 mbit/s",
                                 "10 Mbps",
                                 "Mbit/s",
                                 "",
                                 " ",
                                 "ten Mbit/s",
                                 "-1 Mbit/s",
                                 "0 Mbit/s",
                                 "0 bit/s",
                                 "+1 Mbit/s",
                                 "1e999 Mbit/s",
                                 "1e-999 Mbit/s",
                                 "nan Mbit/s",
                                 "inf Mbit/s",
                                 "1.2.3 Mbit/s",
                                 "1 Mbit/s x",
                                 "1e Mbit/s",
                                 ". Mbit/s",
                                 "0x10 Mbit/s",
                                 "1 5 Mbit/s",
                                 "1e99999999999999 B/s",
                                 "Unlimited"}) {
    CAPTURE(text);
    const std::string message = refusal(parse_bandwidth, text);
    CHECK(message.starts_with("network.key = \"" + text + "\": expected"));
    CHECK(contains(message, "bit/s, kbit/s, Mbit/s, Gbit/s"));
  }
  for (const std::string text : {"5", "5 sec", "5 m", "ms", "", "-5 ms", "5 MS", "5 Ms", "1e30 s", "5 ms ms",
                                 "nan s", "inf s", "32 y", "1e19 ns", "9999999 h", "24.1 h", "1e9 s"}) {
    CAPTURE(text);
    const std::string message = refusal(parse_duration, text);
    CHECK(message.starts_with("network.key = \"" + text + "\": expected"));
    CHECK(contains(message, "ns, us, ms, s, min, h"));
  }
  for (const std::string text : {"", "%", "-1%", "1 percent", "nan", "1%%", "1 ms"}) {
    CAPTURE(text);
    CHECK(contains(refusal(parse_share, text), "between 0 and 1"));
  }
}

TEST_CASE("units: time on the wire, worked out by hand") {
  const Bandwidth slow = parse_bandwidth("k", "10 Mbit/s");
  CHECK(slow.time_for(25064) == Duration{20'051'200});  // 25064 x 8 bit / 1e7 bit/s
  CHECK(slow.time_for(0) == Duration{0});
  CHECK(slow.time_for(1) == Duration{800});
  CHECK(parse_bandwidth("k", "3 B/s").time_for(1) == Duration{333'333'333});
  CHECK(parse_bandwidth("k", "3 B/s").time_for(2) == Duration{666'666'667});
  CHECK(parse_bandwidth("k", "1 Gbit/s").time_for(1'000'000'000'000) == Duration{8'000'000'000'000});
  CHECK(Bandwidth{}.time_for(UINT64_MAX) == Duration{0});
  CHECK(parse_bandwidth("k", "1 bit/s").time_for(UINT64_MAX) == Duration{1'000'000'000'000'000'000});
}

TEST_CASE("units: what is spelled parses back to the same value") {
  auto random = random_stream(1);
  for (int trial = 0; trial < 4000; ++trial) {
    // Any mantissa, magnitudes from 1e-5 to 1e17 bytes/s.
    const double mantissa = 1.0 + random.uniform();
    const Bandwidth bandwidth{std::ldexp(mantissa, static_cast<int>(random.below(72)) - 16)};
    CAPTURE(to_text(bandwidth));
    CHECK(parse_bandwidth("k", to_text(bandwidth)) == bandwidth);
    const Duration duration{static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(47)))};
    CAPTURE(to_text(duration));
    CHECK(parse_duration("k", to_text(duration)) == duration);
  }
}

TEST_CASE("units: the spelling is the short one a user would write") {
  for (const std::string text : {"10 Mbit/s", "1 Gbit/s", "100 kbit/s", "125 MiB/s", "unlimited",
                                 "1.5 Mbit/s", "16 Mbit/s", "1 bit/s", "64 KiB/s", "2 Tbit/s", "9.6 kbit/s"})
    CHECK(to_text(parse_bandwidth("k", text)) == text);
  CHECK(to_text(parse_bandwidth("k", "1.5 MB/s")) == "12 Mbit/s");
  CHECK(to_text(parse_bandwidth("k", "0.1 Gbit/s")) == "100 Mbit/s");
  for (const std::string text :
       {"0 s", "5 ms", "20 us", "1.5 s", "200 ns", "120 s", "100 ms", "1250 us", "3600 s"})
    CHECK(to_text(parse_duration("k", text)) == text);
  CHECK(to_text(parse_duration("k", "2 min")) == "120 s");
  CHECK(to_text(parse_duration("k", "1000 us")) == "1 ms");
  CHECK(to_text(Duration{-5'000'000}) == "-5 ms");
}

}  // namespace hearsay::units_test

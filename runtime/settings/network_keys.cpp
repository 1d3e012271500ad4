#include "runtime/settings/network_keys.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "runtime/settings/trace_setting.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

// ---- compute times

ComputeTime read_compute(const Setting& setting) {
  constexpr std::string_view expectation =
      "\"measured\", a time such as \"20 ms\", or \"lognormal(20 ms, 0.3)\" (median, sigma of the logarithm)";
  const auto* const whole = std::get_if<std::string>(&setting.value.data);
  if (whole == nullptr) setting.refuse(std::string(expectation));
  if (*whole == "measured") return {};
  constexpr std::string_view prefix = "lognormal(";
  std::string_view text = *whole;
  if (!text.starts_with(prefix))
    return {ComputeTime::Kind::constant, parse_duration(setting.label(), text), 0.0};
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || !text.ends_with(')')) setting.refuse(std::string(expectation));
  const Duration median = parse_duration(setting.label(), text.substr(prefix.size(), comma - prefix.size()));
  std::string_view sigma_text = text.substr(comma + 1, text.size() - comma - 2);
  while (sigma_text.starts_with(' ')) sigma_text.remove_prefix(1);
  double sigma = 0.0;
  const char* const sigma_end = sigma_text.data() + sigma_text.size();
  const auto [end, error] = std::from_chars(sigma_text.data(), sigma_end, sigma);
  if (error != std::errc{} || end != sigma_end || !std::isfinite(sigma) || sigma < 0.0)
    setting.refuse(std::string(expectation));
  return {ComputeTime::Kind::lognormal, median, sigma};
}

std::string spelled_compute(const ComputeTime& compute) {
  switch (compute.kind) {
    case ComputeTime::Kind::measured:
      return "measured";
    case ComputeTime::Kind::constant:
      return to_text(compute.median);
    case ComputeTime::Kind::lognormal:
      return "lognormal(" + to_text(compute.median) + ", " + toml_number(compute.sigma) + ")";
  }
  return {};
}

double read_message_loss(const Setting& setting) {
  const double loss = setting.share();
  if (loss > max_message_loss) setting.refuse("a share of at most 0.99, such as 0.01 or \"1%\"");
  return loss;
}

std::vector<NetworkKey> make_network_keys() {
  using N = NetworkSettings;
  return {
      {"bandwidth",
       [](const Setting& s, const fs::path&, N& to) {
         to.bandwidth_up = to.bandwidth_down = s.bandwidth();
         to.trace = {};
       },
       [](const N&) { return std::string(); }},
      {"bandwidth_up",
       [](const Setting& s, const fs::path&, N& to) {
         to.bandwidth_up = s.bandwidth();
         to.trace = {};
       },
       [](const N& of) { return of.trace.empty() ? toml_text(to_text(of.bandwidth_up)) : ""; }},
      {"bandwidth_down",
       [](const Setting& s, const fs::path&, N& to) {
         to.bandwidth_down = s.bandwidth();
         to.trace = {};
       },
       [](const N& of) { return of.trace.empty() ? toml_text(to_text(of.bandwidth_down)) : ""; }},
      {"bandwidth_trace",
       [](const Setting& s, const fs::path& directory, N& to) {
         to.bandwidth_up = to.bandwidth_down = {};
         to.trace = read_trace(s, directory);
       },
       [](const N& of) { return of.trace.empty() ? "" : spelled_trace(of.trace); }},
      {"latency", [](const Setting& s, const fs::path&, N& to) { to.latency = s.duration(); },
       [](const N& of) { return toml_text(to_text(of.latency)); }},
      {"jitter", [](const Setting& s, const fs::path&, N& to) { to.jitter = s.duration(); },
       [](const N& of) { return toml_text(to_text(of.jitter)); }},
      {"message_loss",
       [](const Setting& s, const fs::path&, N& to) { to.message_loss = read_message_loss(s); },
       [](const N& of) { return toml_number(of.message_loss); }},
      {"compute", [](const Setting& s, const fs::path&, N& to) { to.compute = read_compute(s); },
       [](const N& of) { return toml_text(spelled_compute(of.compute)); }},
  };
}

}  // namespace

const std::vector<NetworkKey>& network_keys() {
  static const std::vector<NetworkKey> keys = make_network_keys();
  return keys;
}

}  // namespace hearsay

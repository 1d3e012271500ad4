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

ValueKind<ComputeTime> compute_time() {
  return {"\"measured\", a time, or \"lognormal(20 ms, 0.3)\"",
          [](const Setting& setting, const fs::path&) { return read_compute(setting); },
          [](const ComputeTime& compute) { return toml_text(spelled_compute(compute)); }};
}

ValueKind<double> message_loss() {
  ValueKind<double> kind = kinds::share().named("share <= 0.99");
  kind.read = [](const Setting& setting, const fs::path&) {
    const double loss = setting.share();
    if (loss > max_message_loss) setting.refuse("a share of at most 0.99, such as 0.01 or \"1%\"");
    return loss;
  };
  return kind;
}

ValueKind<BandwidthTrace> trace() {
  return {"path of a file of lines, or array of lines", read_trace,
          [](const BandwidthTrace& trace) { return trace.empty() ? std::string() : spelled_trace(trace); }};
}

using N = NetworkSettings;

// The two bandwidths and the trace exclude each other: reading one clears the other.
void drop_trace(N& to) { to.trace = {}; }
bool has_trace(const N& of) { return !of.trace.empty(); }

std::vector<KeyRow<N>> make_network_keys() {
  using kinds::bandwidth, kinds::duration;
  using Row = KeyRow<N>;
  return {
      Row("bandwidth", &N::bandwidth_up, bandwidth(), "all",
          "of a peer's port, each way: sets bandwidth_up and bandwidth_down")
          .then([](N& to) {
            to.bandwidth_down = to.bandwidth_up;
            to.trace = {};
          })
          .unless([](const N&) { return true; })
          .by_default("\"unlimited\""),
      Row("bandwidth_up", &N::bandwidth_up, bandwidth(), "all", "what a peer's port sends")
          .then(drop_trace)
          .unless(has_trace),
      Row("bandwidth_down", &N::bandwidth_down, bandwidth(), "all", "what a peer's port receives")
          .then(drop_trace)
          .unless(has_trace),
      Row("bandwidth_trace", &N::trace, trace(), "all", "a port's bandwidth that changes with time")
          .then([](N& to) { to.bandwidth_up = to.bandwidth_down = {}; })
          .see("../network/README.md#bandwidth-traces"),
      {"latency", &N::latency, duration(), "all", "of a link, one way"},
      {"jitter", &N::jitter, duration(), "all",
       "added to the latency, uniform from 0 to this, drawn for each message"},
      {"message_loss", &N::message_loss, message_loss(), "all",
       "the probability with which a message is lost, each time it is sent; it is sent again after a "
       "time-out"},
      {"compute", &N::compute, compute_time(), "all", "the time of a gradient"},
  };
}

}  // namespace

const std::vector<KeyRow<NetworkSettings>>& network_keys() {
  static const std::vector<KeyRow<NetworkSettings>> keys = make_network_keys();
  return keys;
}

const std::vector<KeyRow<LinkOverride>>& link_keys() {
  static const std::vector<KeyRow<LinkOverride>> keys = {
      {"latency", &LinkOverride::latency, kinds::optional(kinds::duration())},
      {"bandwidth", &LinkOverride::bandwidth, kinds::optional(kinds::bandwidth())},
  };
  return keys;
}

}  // namespace hearsay

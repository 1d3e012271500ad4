#include "tools/metrics/metrics_server.hpp"

#include <cstdint>
#include <utility>

#include "runtime/cluster/address.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

const std::string key = "--metrics";

std::optional<std::uint16_t> port_of(const std::string& text) {
  std::uint64_t port = 0;
  if (text.size() > 5 || !parse_whole(text, port) || port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(port);
}

}  // namespace

HttpPlace metrics_place(const std::string& option) {
  if (const auto port = port_of(option)) return {.key = key, .port = *port};
  const Address address = Address::parse("tcp://" + option);
  const auto port = port_of(address.port);
  if (!port || !address.is_numeric())
    throw Misuse(key, option,
                 "expected a port, 9464, or an IP address and a port, \"0.0.0.0:9464\" for all interfaces");
  return {.key = key, .host = address.host, .port = *port, .answers_names = true};
}

MetricsServer::MetricsServer(HttpPlace place, MetricsBoard& board, Notice notice)
    : place_(std::move(place)), board_(board), notice_(std::move(notice)) {
  if (place_.port != 0) HttpServer(place_, {});
}

void MetricsServer::listen() {
  if (server_ || failed_) return;
  try {
    server_.emplace(place_, board_.files());
    notice_("metrics at " + server_->url() + "metrics");
  } catch (const Misuse& misuse) {
    failed_ = true;
    notice_(std::string("no metrics: ") + misuse.what());
  }
}

}  // namespace hearsay

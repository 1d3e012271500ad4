#include "tests/faults/frame_proxy.hpp"

#include <atomic>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay::test {

namespace {

using Parts = std::vector<std::string>;  // a frame: header, payload

constexpr std::chrono::milliseconds poll_interval{20};
constexpr std::size_t place_of_kind = 2;  // offset of the kind in the header

std::optional<Parts> receive(zmq::socket_t& socket) {
  Parts parts;
  for (bool more = true; more;) {
    zmq::message_t part;
    if (!socket.recv(part, zmq::recv_flags::dontwait)) return std::nullopt;
    parts.push_back(part.to_string());
    more = part.more();
  }
  return parts;
}

void send(zmq::socket_t& socket, const Parts& parts) {
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto flags = k + 1 < parts.size() ? zmq::send_flags::dontwait | zmq::send_flags::sndmore
                                            : zmq::send_flags::dontwait;
    if (!socket.send(zmq::buffer(parts[k]), flags)) return;
  }
}

}  // namespace

class FrameProxy::Relay {
 public:
  Relay(const std::string& front, std::string back, std::uint64_t seed, FrameFaults faults)
      : back_(std::move(back)), faults_(faults), random_(seed, 0, 0, Purpose::data) {
    router_.set(zmq::sockopt::router_handover, true);
    router_.set(zmq::sockopt::linger, 1000);
    router_.bind(front);
    thread_ = std::thread([this] { run(); });
  }

  Struck stop() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    return struck_;
  }

 private:
  /// The frames of one client in one direction.
  struct Way {
    std::optional<Parts> overtaken = {};
  };
  struct Client {
    zmq::socket_t dealer;
    Way there = {};
    Way back = {};
  };

  void run() {
    while (!ends_) {
      std::vector<zmq::pollitem_t> items = {{router_.handle(), 0, ZMQ_POLLIN, 0}};
      for (auto& [name, client] : clients_) items.push_back({client.dealer.handle(), 0, ZMQ_POLLIN, 0});
      zmq::poll(items.data(), items.size(), poll_interval);
      bool quiet = true;
      while (auto parts = receive(router_)) {
        quiet = false;
        const std::string name = parts->front();
        parts->erase(parts->begin());
        Client& client = client_of(name);
        const auto to_router = [&](const Parts& frame) { send(client.dealer, frame); };
        is_bye(*parts) ? to_router(*parts) : pass(client.there, std::move(*parts), to_router);
      }
      for (auto& [name, client] : clients_) {
        const auto to_client = [this, who = name](Parts frame) {
          frame.insert(frame.begin(), who);
          send(router_, frame);
        };
        while (auto parts = receive(client.dealer)) {
          quiet = false;
          pass(client.back, std::move(*parts), to_client);
        }
        if (!quiet) continue;
        // No frame has come that could overtake the held-back ones, so they go on.
        if (client.there.overtaken) send(client.dealer, *client.there.overtaken);
        if (client.back.overtaken) to_client(*client.back.overtaken);
        client.there.overtaken.reset();
        client.back.overtaken.reset();
      }
    }
  }

  Client& client_of(const std::string& name) {
    const auto known = clients_.find(name);
    if (known != clients_.end()) return known->second;
    zmq::socket_t dealer(context_, zmq::socket_type::dealer);
    dealer.set(zmq::sockopt::routing_id, name);
    dealer.set(zmq::sockopt::linger, 1000);
    dealer.connect(back_);
    return clients_.emplace(name, Client{std::move(dealer)}).first->second;
  }

  static bool is_bye(const Parts& frame) {
    return frame.front().size() > place_of_kind &&
           frame.front()[place_of_kind] == static_cast<char>(FrameKind::bye);
  }

  bool strikes(double chance, std::uint64_t& counter) {
    if (random_.uniform() >= chance) return false;
    ++counter;
    return true;
  }

  template <class Send>
  void pass(Way& way, Parts frame, const Send& send_on) {
    ++struck_.passed;
    if (strikes(faults_.drop, struck_.dropped)) return;
    if (strikes(faults_.truncate, struck_.truncated)) truncate(frame);
    if (strikes(faults_.flip, struck_.flipped)) flip(frame);
    if (faults_.lie > 0.0) lie(frame.front());
    if (!way.overtaken && strikes(faults_.overtake, struck_.overtaken)) {
      way.overtaken = std::move(frame);
      return;
    }
    send_on(frame);
    if (strikes(faults_.repeat, struck_.repeated)) send_on(frame);
    if (!way.overtaken) return;
    send_on(*way.overtaken);
    way.overtaken.reset();
  }

  void truncate(Parts& frame) {
    std::string& part = frame[random_.below(frame.size())];
    if (part.empty())
      frame.resize(1);
    else
      part.resize(random_.below(part.size()));
  }

  void flip(Parts& frame) {
    std::string& last = frame.back();
    std::string& part = last.empty() || random_.below(2) == 0 ? frame.front() : last;
    if (part.empty()) return;
    char& byte = part[random_.below(part.size())];
    byte = static_cast<char>(byte ^ (1 << random_.below(8)));
  }

  void lie(std::string& part) {
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(part));
    DecodedHeader decoded = decode_header(bytes, std::numeric_limits<std::size_t>::max());
    if (decoded.defect != FrameDefect::none || decoded.header.replica_digest == 0) return;
    if (!strikes(faults_.lie, struck_.lied)) return;
    decoded.header.replica_digest ^= 2;
    encode_header(decoded.header, bytes.first<header_bytes>());
  }

  std::string back_;
  FrameFaults faults_;
  RandomStream random_;
  Struck struck_;
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
  std::map<std::string, Client> clients_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

FrameProxy::FrameProxy(const std::string& front, const std::string& back, std::uint64_t seed,
                       FrameFaults faults)
    : relay_(std::make_unique<Relay>(front, back, seed, faults)) {}

FrameProxy::~FrameProxy() { relay_->stop(); }

FrameProxy::Struck FrameProxy::stop() { return relay_->stop(); }

}  // namespace hearsay::test

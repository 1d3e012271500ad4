#include "runtime/zmq/zap_server.hpp"

#include <array>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/security/zap_policy.hpp"
#include "runtime/zmq/keys.hpp"
#include "runtime/zmq/monitor.hpp"

namespace hearsay {

namespace {

std::string text_of_key(const std::string& bytes) {
  std::array<char, 41> text{};  // 40 characters and a zero
  if (bytes.size() != 32) return {};
  zmq_z85_encode(text.data(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return text.data();
}

std::vector<std::string> receive_all_parts(zmq::socket_t& socket) {
  std::vector<std::string> parts;
  zmq::message_t part;
  do {
    if (!socket.recv(part)) return {};
    parts.push_back(part.to_string());
  } while (part.more());
  return parts;
}

void send_all_parts(zmq::socket_t& socket, const std::vector<std::string>& parts) {
  for (const std::string& part : parts)
    socket.send(zmq::buffer(part), &part == &parts.back() ? zmq::send_flags::none : zmq::send_flags::sndmore);
}

}  // namespace

void secure_client(zmq::socket_t& dealer, const SharedCredentials& credentials, PeerId server) {
  if (!credentials) return;
  require_curve();
  dealer.set(zmq::sockopt::curve_serverkey, credentials->public_keys[server]);
  dealer.set(zmq::sockopt::curve_publickey, credentials->own.public_key);
  dealer.set(zmq::sockopt::curve_secretkey, credentials->own.secret_key);
}

/// The thread of a ZapServer.
class ZapServer::Responder {
 public:
  Responder(zmq::context_t& context, zmq::socket_t& router, SharedCredentials credentials)
      : context_(context),
        router_(router),
        credentials_(std::move(credentials)),
        policy_(credentials_->public_keys),
        questions_(context, zmq::socket_type::rep),
        closing_(context, zmq::socket_type::pair),
        close_(context, zmq::socket_type::pair) {
    require_curve();
    questions_.bind(
        // ZeroMQ sends its authentication requests to this address. Without a listener there it would let
        // everybody in.
        "inproc://zeromq.zap.01");
    router.set(zmq::sockopt::curve_server, true);
    router.set(zmq::sockopt::curve_secretkey, credentials_->own.secret_key);
    closing_.bind("inproc://door.closing");
    close_.connect("inproc://door.closing");
  }

  ~Responder() {
    if (thread_.joinable()) {
      close_.send(zmq::str_buffer("close"), zmq::send_flags::none);
      thread_.join();
    }
    monitor_.reset();
    router_.close();  // before `questions_`, without which strangers would get in
  }

  void begin() {
    monitor_.emplace(context_, router_);
    thread_ = std::thread([this] { serve(); });
  }

 private:
  void serve() {
    std::array<zmq::pollitem_t, 3> items{{{questions_.handle(), 0, ZMQ_POLLIN, 0},
                                          {monitor_->handle(), 0, ZMQ_POLLIN, 0},
                                          {closing_.handle(), 0, ZMQ_POLLIN, 0}}};
    while (items[2].revents == 0) {
      try {
        zmq::poll(items.data(), items.size(), std::chrono::milliseconds{-1});
      } catch (const zmq::error_t& error) {
        if (error.num() != EINTR) throw;
        continue;
      }
      if (items[0].revents != 0) answer();
      if (items[1].revents != 0) count_failures();
    }
  }

  void answer() {
    const std::vector<std::string> question = receive_all_parts(questions_);
    const ZapPolicy::Answer answer =
        policy_.decide(question, question.empty() ? "" : text_of_key(question.back()));
    if (answer.refused) ++credentials_->refused;
    if (!answer.to_say.empty())
      credentials_->notice("peer " + std::to_string(credentials_->self) + " " + answer.to_say);
    send_all_parts(questions_, answer.reply);
  }

  /// Counts failed handshakes, except those of unauthorized keys, which `answer` has counted.
  void count_failures() {
    while (const auto report = monitor_->next())
      if (report->failure != FailedHandshake::refused) ++credentials_->refused;
  }

  zmq::context_t& context_;
  zmq::socket_t& router_;
  SharedCredentials credentials_;
  ZapPolicy policy_;
  zmq::socket_t questions_;
  zmq::socket_t closing_;
  zmq::socket_t close_;
  std::optional<Monitor> monitor_;
  std::thread thread_;  // last: it uses the other members
};

ZapServer::ZapServer(zmq::context_t& context, zmq::socket_t& router, const SharedCredentials& credentials)
    : credentials_(credentials) {
  if (credentials) responder_ = std::make_unique<Responder>(context, router, credentials);
}

void ZapServer::begin() {
  if (responder_) responder_->begin();
}

ZapServer::~ZapServer() = default;

}  // namespace hearsay

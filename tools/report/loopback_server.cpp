#include "tools/report/loopback_server.hpp"

#include <signal.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <exception>
#include <thread>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto patience = std::chrono::seconds(1);
constexpr std::uint32_t most_request_bytes = 16384;

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

Response plain(http::status status, const std::string& words) {
  Response response(status, 11);
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.body() = words + "\n";
  return response;
}

Response response_to(const Request& request, std::uint16_t port, const std::vector<ServedFile>& files) {
  const std::string suffix = port == 80 ? "" : ":" + std::to_string(port);  // browsers leave out port 80
  const auto host = request[http::field::host];
  if (host != "127.0.0.1" + suffix && host != "localhost" + suffix)
    return plain(http::status::misdirected_request, "This is another host.");
  if (request.method() != http::verb::get)
    return plain(http::status::method_not_allowed, "Only GET is answered.");
  const auto file = std::ranges::find_if(
      files, [&](const ServedFile& candidate) { return request.target() == candidate.path; });
  if (file == files.end()) return plain(http::status::not_found, "There is nothing here.");
  Response response(http::status::ok, 11);
  response.set(http::field::content_type, file->type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  try {
    response.body() = file->content();
  } catch (const std::exception&) {  // must not end training, which runs in the other thread
    return plain(http::status::internal_server_error, "This cannot be shown.");
  }
  return response;
}

/// One request and its answer. The object lives until both are done.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const std::vector<ServedFile>& files)
      : port_(socket.local_endpoint().port()), stream_(std::move(socket)), files_(files) {}

  void begin() {
    parser_.header_limit(most_request_bytes);
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->answer();
    });
  }

 private:
  void answer() {
    response_ = response_to(parser_.get(), port_, files_);
    response_.keep_alive(false);
    response_.prepare_payload();
    stream_.expires_after(patience);
    http::async_write(stream_, response_, [self = shared_from_this()](error_code, std::size_t) {
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  std::uint16_t port_;
  beast::tcp_stream stream_;
  const std::vector<ServedFile>& files_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  Response response_;
};

}  // namespace

class LoopbackServer::Listener {
 public:
  Listener(std::uint16_t port, std::vector<ServedFile> files) : files_(std::move(files)) {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
    error_code error;
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw Misuse("--live", std::to_string(port),
                   "nothing can listen at this port (" + error.message() + ")");
    port_ = acceptor_.local_endpoint().port();
    accept();
    start();
  }

  ~Listener() {
    asio::post(context_, [this] {
      acceptor_.close();
      pause_.cancel();
    });
    thread_.join();
  }

  std::uint16_t port() const { return port_; }

 private:
  /// Starts the thread with all signals blocked, so that signals reach the thread that trains.
  void start() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { context_.run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (error) return accept_later();
      error_code gone;
      if (socket.local_endpoint(gone), !gone) std::make_shared<Session>(std::move(socket), files_)->begin();
      accept();
    });
  }

  /// Accepts again after a pause: the process may be out of file descriptors, and some may be closed by then.
  void accept_later() {
    pause_.expires_after(patience);
    pause_.async_wait([this](error_code) {
      if (acceptor_.is_open()) accept();
    });
  }

  std::vector<ServedFile> files_;
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

LoopbackServer::LoopbackServer(std::uint16_t port, std::vector<ServedFile> files)
    : listener_(std::make_unique<Listener>(port, std::move(files))) {}

LoopbackServer::~LoopbackServer() = default;

std::uint16_t LoopbackServer::port() const { return listener_->port(); }

}  // namespace hearsay

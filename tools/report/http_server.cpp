#include "tools/report/http_server.hpp"

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
constexpr auto patience_with_reader = std::chrono::seconds(5);
/// More of them wait in the kernel: the files that a process may open are needed for other things, too.
constexpr int most_sessions = 32;
constexpr auto pause_of_many = std::chrono::milliseconds(20);
constexpr std::uint32_t most_request_bytes = 16384;

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

Response plain(http::status status, const std::string& words) {
  Response response(status, 11);
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.body() = words + "\n";
  return response;
}

/// What a server serves, and to whom.
struct Service {
  HttpPlace place;  // with its port
  std::vector<ServedFile> files;
};

/// "127.0.0.1:8080", "[::]:8080"
std::string text_of(const HttpPlace& place) {
  const bool is_v6 = place.host.find(':') != place.host.npos;
  return (is_v6 ? "[" + place.host + "]" : place.host) + ":" + std::to_string(place.port);
}

bool is_host_of(const HttpPlace& place, beast::string_view host) {
  const std::string suffix =
      place.port == 80 ? "" : ":" + std::to_string(place.port);  // browsers leave out 80
  return place.answers_names || host == "127.0.0.1" + suffix || host == "localhost" + suffix;
}

Response response_to(const Request& request, const Service& service) {
  const std::vector<ServedFile>& files = service.files;
  if (!is_host_of(service.place, request[http::field::host]))
    return plain(http::status::misdirected_request, "This is another host.");
  if (request.method() != http::verb::get) {
    Response refusal = plain(http::status::method_not_allowed, "Only GET is answered.");
    refusal.set(http::field::allow, "GET");
    return refusal;
  }
  const beast::string_view path = request.target().substr(0, request.target().find('?'));
  const auto file =
      std::ranges::find_if(files, [&](const ServedFile& candidate) { return path == candidate.path; });
  if (file == files.end()) return plain(http::status::not_found, "There is nothing here.");
  Response response(http::status::ok, 11);
  response.set(http::field::content_type, file->type);
  response.set(http::field::cache_control, "no-store");
  response.set("X-Content-Type-Options", "nosniff");
  try {
    if (!file->is_available()) response.result(http::status::service_unavailable);
    response.body() = file->content();
  } catch (const std::exception&) {  // must not end training, which runs in the other thread
    return plain(http::status::internal_server_error, "This cannot be shown.");
  }
  return response;
}

/// One request and its answer. The object lives until both are done.
class Session : public std::enable_shared_from_this<Session> {
 public:
  /// `alive` counts the sessions, and must outlive them.
  Session(tcp::socket socket, const Service& service, int& alive)
      : stream_(std::move(socket)), service_(service), alive_(alive) {
    ++alive_;
  }
  ~Session() { --alive_; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void begin() {
    parser_.header_limit(most_request_bytes);
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error)
        self->answer(response_to(self->parser_.get(), self->service_));
      else if (error.category() == make_error_code(http::error::bad_method).category() &&
               error != http::error::end_of_stream)
        self->answer(plain(http::status::bad_request, "This is no request."));
    });
  }

 private:
  void answer(Response response) {
    response_ = std::move(response);
    response_.keep_alive(false);
    response_.prepare_payload();
    stream_.expires_after(patience_with_reader);
    http::async_write(stream_, response_, [self = shared_from_this()](error_code, std::size_t) {
      error_code ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  beast::tcp_stream stream_;
  const Service& service_;
  int& alive_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  Response response_;
};

}  // namespace

class HttpServer::Listener {
 public:
  Listener(const HttpPlace& place, std::vector<ServedFile> files) : service_{place, std::move(files)} {
    error_code error;
    const tcp::endpoint here(asio::ip::make_address(place.host, error), place.port);
    if (!error) acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) throw Misuse(place.key, text_of(place), "nothing can listen there (" + error.message() + ")");
    service_.place.port = acceptor_.local_endpoint().port();
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

  const HttpPlace& place() const { return service_.place; }

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
      if (error) return accept_later(patience);
      error_code gone;
      if (socket.local_endpoint(gone), !gone)
        std::make_shared<Session>(std::move(socket), service_, sessions_)->begin();
      sessions_ < most_sessions ? accept() : accept_later(pause_of_many);
    });
  }

  /// Accepts again after a pause: there may be fewer sessions then, or file descriptors again.
  void accept_later(std::chrono::milliseconds pause) {
    pause_.expires_after(pause);
    pause_.async_wait([this](error_code) {
      if (!acceptor_.is_open()) return;
      sessions_ < most_sessions ? accept() : accept_later(pause_of_many);
    });
  }

  Service service_;
  int sessions_ = 0;
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  std::thread thread_;
};

HttpServer::HttpServer(const HttpPlace& place, std::vector<ServedFile> files)
    : listener_(std::make_unique<Listener>(place, std::move(files))) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return listener_->place().port; }

std::string HttpServer::url() const { return "http://" + text_of(listener_->place()) + "/"; }

}  // namespace hearsay

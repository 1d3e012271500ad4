#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hearsay {

/// Where to listen, and who is answered.
struct HttpPlace {
  std::string key = "--live";      ///< names it in a refusal
  std::string host = "127.0.0.1";  ///< an IP address, an IPv6 one without brackets
  std::uint16_t port = 0;          ///< 0: any free port
  /// True: whatever the Host of a request is. False: only if it is that address or localhost, so that no page
  /// of another site can read the files by pointing its own name to this machine.
  bool answers_names = false;
};

/// A path and what is served there. The thread of the server calls the functions for every request.
struct ServedFile {
  std::string path;
  std::string type;  ///< "text/html; charset=utf-8"
  std::function<std::string()> content;
  std::function<bool()> is_available = [] { return true; };  ///< if not, the answer is 503, with the content
};

/// Serves a few files over HTTP. It has one thread. A client that is slow to ask is cut off after a second,
/// one that is slow to read after five. 32 are answered at a time; others wait.
class HttpServer {
 public:
  /// Throws Misuse if the port is taken, or the address is not this machine's.
  HttpServer(const HttpPlace& place, std::vector<ServedFile> files);
  /// Lets pending answers arrive, for two seconds at most.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// "http://127.0.0.1:8080/"
  std::string url() const;

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace hearsay

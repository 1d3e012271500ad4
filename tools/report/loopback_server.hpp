#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hearsay {

/// A path and what is served there. The thread of the server calls `content` for every request.
struct ServedFile {
  std::string path;
  std::string type;  ///< "text/html; charset=utf-8"
  std::function<std::string()> content;
};

/// Serves a few files over HTTP to browsers on this machine only. The server listens on 127.0.0.1, and
/// answers a request only if its Host is that address or localhost: so no page of another site can read the
/// files by pointing its own name to this address. It has one thread. A client that is slow to ask or to read
/// is cut off after a second, and never delays another.
class LoopbackServer {
 public:
  /// `port` 0 means any free port. Throws Misuse if the port is taken.
  LoopbackServer(std::uint16_t port, std::vector<ServedFile> files);
  /// Lets pending answers arrive, for two seconds at most.
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const;

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace hearsay

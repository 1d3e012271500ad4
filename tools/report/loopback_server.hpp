#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hearsay {

/// What is served under a path. `content` is called by the server's thread, for every request.
struct ServedFile {
  std::string path;
  std::string type;  ///< "text/html; charset=utf-8"
  std::function<std::string()> content;
};

/// Serves a few files over HTTP to the browsers of this machine and to nobody else: it listens on 127.0.0.1
/// only, and answers only those who ask for that address or localhost by name, so no page of another site can
/// read what it serves by giving its own name this address. One thread; whoever is slow to ask or to read is
/// cut off after a second, and never keeps another waiting.
class LoopbackServer {
 public:
  /// `port` 0 is any free one. Throws Misuse where the port is taken.
  LoopbackServer(std::uint16_t port, std::vector<ServedFile> files);
  /// Lets answers that are on their way arrive, which takes two seconds at most.
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const;

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace hearsay

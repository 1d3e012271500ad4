#pragma once

#include <atomic>
#include <optional>
#include <thread>

#include "runtime/units.hpp"

namespace hearsay {

/// Ends a process when its standard input does, so that none outlives who started it: an ssh connection, a script. Asks
/// in good order first, by the flag that Ctrl-C sets as well; after `grace` it ends the process.
class InputWatch {
 public:
  /// `silence`: an input on which nothing has come for so long has ended, too (a connection may die without a word).
  InputWatch(std::atomic<bool>& ask_to_end, std::optional<Duration> silence);
  ~InputWatch();
  InputWatch(const InputWatch&) = delete;
  InputWatch& operator=(const InputWatch&) = delete;

  static constexpr Duration grace = std::chrono::seconds(10);

 private:
  void watch();

  std::atomic<bool>& ask_to_end_;
  std::optional<Duration> silence_;
  int wake_ = -1;       // an eventfd: the run has ended by itself
  std::thread thread_;  // last: it uses the others
};

}  // namespace hearsay

#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// What the end of an input says.
enum class EndOfInput {
  ends_the_process,
  says_nothing,  ///< the process goes on without who started it, unless told to end
};

/// Ends a process when its standard input does, so that none outlives who started it: an ssh connection, a
/// script. Asks in good order first, by the flag that Ctrl-C sets as well; after `grace` it ends the process.
class InputWatch {
 public:
  /// Lines of the input; what else comes are signs of life. Why the run is lost follows the second on its
  /// line.
  static constexpr std::string_view word_to_end = "end";
  static constexpr std::string_view word_of_loss = "lost: ";

  /// `silence`: an input on which nothing has come for so long has ended, too (a connection may die without a
  /// word).
  InputWatch(std::atomic<bool>& ask_to_end, std::optional<Duration> silence,
             EndOfInput end_of_input = EndOfInput::ends_the_process);
  ~InputWatch();
  InputWatch(const InputWatch&) = delete;
  InputWatch& operator=(const InputWatch&) = delete;

  /// Nobody is there any more, as far as the input tells.
  bool is_alone() const { return is_alone_; }

  /// Why the run is lost, as the input says.
  std::optional<std::string> lost() const;

  static constexpr Duration grace = std::chrono::seconds(10);

 private:
  void watch();
  void take(std::string_view bytes);

  std::atomic<bool>& ask_to_end_;
  std::optional<Duration> silence_;
  EndOfInput end_of_input_;
  std::atomic<bool> is_alone_{false};
  std::string line_;  // that is not whole yet
  bool told_to_end_ = false;
  mutable std::mutex mutex_;  // over the next
  std::optional<std::string> lost_;
  int wake_ = -1;       // an eventfd: the run has ended by itself
  std::thread thread_;  // last: it uses the others
};

}  // namespace hearsay

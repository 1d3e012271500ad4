#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/foundation/units.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

/// What the end of the standard input means to the process.
enum class EndOfInput {
  ends_the_process,
  says_nothing,  ///< the process goes on without its starter, unless it is told to end
};

/// Ends the process when its standard input ends, so that it does not outlive its starter (an ssh connection,
/// a script). First sets the flag that Ctrl-C sets, which ends the run in good order. Ends the process if it
/// still runs after `grace`.
class InputWatch {
 public:
  /// The words of the starter, one per line; all other input is a heartbeat. The reason of the loss follows
  /// `word_of_loss` on its line.
  static constexpr std::string_view word_to_end = "end";
  static constexpr std::string_view word_of_loss = "lost: ";
  /// Then the peer's id, a space, and how it has ended.
  static constexpr std::string_view word_of_end = "ended: ";

  /// Starts to watch. An input that is silent for `silence` counts as ended, since a connection may break
  /// without notice; without `silence` only its end counts.
  InputWatch(std::atomic<bool>& ask_to_end, std::optional<Duration> silence,
             EndOfInput end_of_input = EndOfInput::ends_the_process);
  ~InputWatch();
  InputWatch(const InputWatch&) = delete;
  InputWatch& operator=(const InputWatch&) = delete;

  /// True if the input has ended or is silent.
  bool is_alone() const { return is_alone_; }

  /// Returns why the run is lost, as the starter has said; empty if it has said nothing.
  std::optional<std::string> lost() const;

  /// Returns a peer that has ended, as the starter has said, in the order of its words; each once.
  std::optional<EndedPeer> take_ended_peer();

  static constexpr Duration grace = std::chrono::seconds(10);

 private:
  void watch();
  void take(std::string_view bytes);

  std::atomic<bool>& ask_to_end_;
  std::optional<Duration> silence_;
  EndOfInput end_of_input_;
  std::atomic<bool> is_alone_{false};
  std::string line_;  // the incomplete last line
  bool told_to_end_ = false;
  mutable std::mutex mutex_;  // guards the next two fields
  std::optional<std::string> lost_;
  std::deque<EndedPeer> ended_;
  int wake_ = -1;       // an eventfd; the destructor writes to it to wake the thread
  std::thread thread_;  // last, since it uses the other fields
};

}  // namespace hearsay

#include "tools/report/reading_progress.hpp"

#include <utility>

namespace hearsay {

ReadingProgress::ReadingProgress(std::function<void(const std::string&)> say,
                                 std::function<Clock::time_point()> now)
    : say_(std::move(say)), now_(std::move(now)), next_(now_() + std::chrono::seconds(2)) {}

void ReadingProgress::show(const std::string& name, std::size_t done, std::size_t in_total) {
  const Clock::time_point now = now_();
  if (now < next_ && !(told_ && done == in_total)) return;
  next_ = now + std::chrono::seconds(1);
  told_ = true;
  say_(name + ": " + std::to_string(done) + " of " + std::to_string(in_total) + " runs are read");
}

}  // namespace hearsay

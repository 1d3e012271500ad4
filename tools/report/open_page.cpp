#include "tools/report/open_page.hpp"

namespace hearsay {

namespace {

/// A page counts as open for so long after its last question. It asks once a second, but on a machine whose
/// processors all train, drawing may take it several.
constexpr auto page_is_open_for = std::chrono::seconds(5);
constexpr auto patience_with_page = std::chrono::seconds(10);
constexpr auto patience_without_a_word = std::chrono::seconds(2);

}  // namespace

void OpenPage::note_answer(bool tells_the_end) {
  const std::lock_guard lock(mutex_);
  asked_ = Clock::now();
  told_ = told_ || tells_the_end;
  news_.notify_all();
}

void OpenPage::wait_until_told(const Notice& notice) {
  std::unique_lock lock(mutex_);
  const auto is_told = [this] { return told_; };
  if (!asked_ || Clock::now() - *asked_ >= page_is_open_for ||
      news_.wait_for(lock, patience_without_a_word, is_told))
    return;
  notice("waiting for the live page to show the end");
  news_.wait_for(lock, patience_with_page - patience_without_a_word, is_told);
}

}  // namespace hearsay

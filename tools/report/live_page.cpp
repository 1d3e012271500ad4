#include "tools/report/live_page.hpp"

#include "runtime/record/json.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tools/report/page.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

/// A page counts as open for so long after its last question. It asks once a second, but on a machine whose
/// processors all train, drawing may take it several.
constexpr auto page_is_open_for = std::chrono::seconds(5);
constexpr auto patience_with_page = std::chrono::seconds(10);
constexpr auto patience_without_a_word = std::chrono::seconds(2);

}  // namespace

LivePage::LivePage(const RunSettings& settings, const std::optional<std::vector<Evaluation>>& earlier,
                   std::uint16_t port, Notice notice)
    : port_(port),
      notice_(std::move(notice)),
      chart_library_(chart_library()),
      folder_(settings.run.output.string()),
      report_(settings.run.name) {
  if (port != 0) LoopbackServer(port, {});
  run_.settings = settings;
  run_.run_file = to_toml(settings);
  if (earlier)
    for (const Evaluation& evaluation : *earlier) run_.course.push_back(to_json(evaluation));
}

void LivePage::show(const Evaluation& evaluation) {
  {
    const std::lock_guard lock(mutex_);
    // A resumed run repeats some evaluations.
    while (!run_.course.empty() && run_.course.back()["iteration"] >= evaluation.iteration)
      run_.course.pop_back();
    run_.course.push_back(to_json(evaluation));
  }
  if (!server_ && !failed_) begin();
}

void LivePage::begin() {
  try {
    server_.emplace(
        port_, std::vector<ServedFile>{{"/", "text/html; charset=utf-8", [this] { return html(); }},
                                       {"/data.json", "application/json", [this] { return json_of_now(); }}});
    notice_("live at http://127.0.0.1:" + std::to_string(server_->port()) + "/ until the run ends");
  } catch (const Misuse& misuse) {
    failed_ = true;
    notice_(std::string("no live page: ") + misuse.what());
  }
}

void LivePage::end(const Json& summary) {
  std::unique_lock lock(mutex_);
  run_.summary = summary;
  const auto is_read = [this] { return end_was_read_; };
  if (asked_ && Clock::now() - *asked_ < page_is_open_for &&
      !news_of_end_read_.wait_for(lock, patience_without_a_word, is_read)) {
    notice_("waiting for the live page to show the end of the run");
    news_of_end_read_.wait_for(lock, patience_with_page - patience_without_a_word, is_read);
  }
  lock.unlock();
  server_.reset();
}

Json LivePage::data() {
  RunFolder now;
  {
    const std::lock_guard lock(mutex_);
    now = run_;
  }
  report_.begin_again();
  report_.add_run(now, now.settings->run.name, folder_);
  Json data = report_.json();
  const bool ended = now.summary.is_object();
  data["live"] = true;
  data["ended"] = ended;
  if (!ended) data["groups"][0]["points"][0]["status"] = "running";
  return data;
}

std::string LivePage::html() { return page(PageKind::live, data(), chart_library_); }

std::string LivePage::json_of_now() {
  const Json now = data();
  const std::lock_guard lock(mutex_);
  asked_ = Clock::now();
  if (now["ended"]) {
    end_was_read_ = true;
    news_of_end_read_.notify_all();
  }
  return json_text(now);
}

}  // namespace hearsay

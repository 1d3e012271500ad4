#include "tools/report/live_page.hpp"

#include <algorithm>

#include "algorithms/methods/registry.hpp"
#include "runtime/record/hub_port.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tools/report/page.hpp"
#include "tools/report/remaining_time.hpp"
#include "tools/report/shown_peers.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

constexpr auto between_news_of_peers = std::chrono::milliseconds(500);

double in_seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

/// Returns how far a run is, in real time: `elapsed` until its last evaluation, which was `ago`.
Json progress_of(const RunFolder& run, std::uint64_t from, std::uint64_t iterations,
                 std::chrono::steady_clock::duration elapsed, std::chrono::steady_clock::duration ago) {
  Json progress = {
      {"of", "iterations"},     {"done", run.course.empty() ? Json(0) : run.course.back()["iteration"]},
      {"in_total", iterations}, {"elapsed", in_seconds(elapsed + ago)},
      {"left", nullptr},        {"to_target", nullptr}};
  const auto time =
      remaining_time(run.course, from, iterations, run.settings->run.target_loss, in_seconds(elapsed));
  if (!time) return progress;
  const auto from_now = [&](double seconds) { return std::max(0.0, seconds - in_seconds(ago)); };
  progress["left"] = from_now(time->to_last_iteration);
  if (time->to_target) progress["to_target"] = from_now(*time->to_target);
  return progress;
}

}  // namespace

LivePage::LivePage(std::uint16_t port, Notice notice, std::vector<ServedFile> beside)
    : port_(port), notice_(std::move(notice)), beside_(std::move(beside)), chart_library_(chart_library()) {
  if (port != 0) HttpServer({.port = port}, {});
}

void LivePage::begin(const RunSettings& settings, std::uint64_t iterations,
                     const std::vector<Evaluation>& earlier, const Json& provenance) {
  settings_ = settings;
  run_file_ = to_toml(settings);
  provenance_ = provenance;
  iterations_ = iterations;
  now_.course = now_.consensus = {};
  now_.from = earlier.empty() ? 0 : earlier.back().iteration;
  begun_ = now_.evaluated = Clock::now();
  for (const Evaluation& evaluation : earlier) now_.course.append(to_json(evaluation));
  report_ = ReportData(settings.run.name);
}

void LivePage::show(const Evaluation& evaluation) {
  {
    const std::lock_guard lock(mutex_);
    now_.course.append(to_json(evaluation));
    if (!evaluation.distances.values.empty()) now_.consensus.append(distances_to_json(evaluation));
    now_.from = std::min(now_.from, evaluation.iteration);
    now_.evaluated = Clock::now();
    ++now_.version;
  }
  if (!server_ && !failed_) listen();
}

void LivePage::show(const std::vector<PeerMeters>& peers) {
  const Clock::time_point now = Clock::now();
  if (peers_shown_ && now - *peers_shown_ < between_news_of_peers) return;
  auto shown = std::make_shared<const std::vector<PeerMeters>>(peers);
  const std::lock_guard lock(mutex_);
  if (now_.course.empty() || now_.course.last_iteration() == 0) return;  // none has done anything
  peers_shown_ = now;
  now_.peers = std::move(shown);
  ++now_.version;
}

void LivePage::listen() {
  std::vector<ServedFile> files = {{"/", "text/html; charset=utf-8", [this] { return html(); }},
                                   {"/data.json", "application/json", [this] { return json_of_now(); }}};
  files.insert(files.end(), beside_.begin(), beside_.end());
  try {
    server_.emplace(HttpPlace{.port = port_}, std::move(files));
    notice_("live at " + server_->url() + " until the run ends");
  } catch (const Misuse& misuse) {
    failed_ = true;
    notice_(std::string("no live page: ") + misuse.what());
  }
}

void LivePage::end(const Json& summary) {
  {
    const std::lock_guard lock(mutex_);
    now_.summary = std::make_shared<const Json>(summary);
    ++now_.version;
  }
  open_page_.wait_until_told(notice_);
  server_.reset();
}

Json LivePage::data() {
  Now now;
  {
    const std::lock_guard lock(mutex_);
    now = now_;
  }
  const bool ended = now.summary != nullptr;
  const RunFolder run{.run_file = run_file_,
                      .settings = settings_,
                      .summary = ended ? *now.summary : Json(nullptr),
                      .course = now.course.evaluations(),
                      .consensus = now.consensus.evaluations(),
                      .beginning = provenance_,
                      .defect = ""};
  report_.begin_again();
  report_.add_run(run, settings_.run.name, settings_.run.output.string());
  Json data = report_.json();
  data["live"] = true;
  data["ended"] = ended;
  data["version"] = now.version;
  data["progress"] = progress_of(run, now.from, iterations_, now.evaluated - begun_,
                                 ended ? Clock::duration{0} : Clock::now() - now.evaluated);
  if (ended) return data;
  Json& point = data["groups"][0]["points"][0];
  point["status"] = "running";
  point["peers"] = now.peers ? peers_of(peers_so_far(*now.peers)) : nullptr;
  if (now.peers && find_method(settings_.algorithm.kind).pattern.has_hub)
    point["facts"]["hub_port"] = hub_port_record(settings_, now.peers->at(hub_id));
  if (now.peers && settings_.topology.rounds_close())
    point["facts"]["round_deadline"]["late_answers"] = now.peers->at(hub_id).counters.late;
  return data;
}

std::string LivePage::html() { return page(PageKind::live, data(), chart_library_); }

std::string LivePage::json_of_now() {
  const Json now = data();
  open_page_.note_answer(now["ended"]);
  return json_text(now);
}

}  // namespace hearsay

#include "tools/launch/launched_run.hpp"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/kept_models.hpp"
#include "runtime/record/run_directory.hpp"
#include "tools/child/child_process.hpp"
#include "tools/launch/parcel.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/input_watch.hpp"
#include "tools/terminal/notice.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr auto look_every = std::chrono::milliseconds(200);
/// Time that peers get to end by themselves after a failure: the news of a wrong input, or of a loss, reaches
/// them sooner.
constexpr auto patience_after_a_failure = std::chrono::seconds(2);
/// A little longer than an interrupted peer takes to end the run; and a little longer than InputWatch::grace.
constexpr auto patience_with_the_first = std::chrono::seconds(6);
constexpr auto patience_of_the_told = std::chrono::seconds(12);
constexpr std::size_t longest_log_bytes = std::size_t{64} << 20;

/// sshd refuses some connections at random if ten others have not logged in yet (its MaxStartups).
constexpr int most_that_start_on_a_host = 8;

constexpr std::string_view own_words = "hearsay: ";  // with which a sentence of hearsay begins

constexpr int ssh_failed = 255;
constexpr int command_not_found = 127;
constexpr int command_not_executable = 126;

/// The process of a peer, its output, and its progress.
class LaunchedPeer {
 public:
  /// `said`: the sentences of hearsay so far, each with the peer at which it was said first.
  LaunchedPeer(const LaunchedPeerPlan& plan, ParcelReader::Receiver receiver,
               std::map<std::string, PeerId>& said)
      : plan_(plan), reader_(with_lines(std::move(receiver))), said_(said) {}

  void begin() {
    process_.emplace(plan_.words, plan_.directory, plan_.parcel);
    begun_at_ = Clock::now();
  }
  bool is_late(Duration patience) const {
    return running() && !started_ && Clock::now() - begun_at_ > patience;
  }
  bool begun() const { return process_.has_value(); }
  bool ended() const { return process_ && process_->ended(); }
  bool running() const { return process_ && !process_->ended(); }
  void set_started() { started_ = true; }
  bool started() const { return started_; }

  /// Reads the output of the peer. True if the peer has ended since the last call.
  bool look() {
    if (!running()) return false;
    process_->look({[this](std::string_view bytes) { reader_.feed(bytes); },
                    [this](std::string_view bytes) { take_text(bytes); }});
    if (!process_->ended()) return false;
    if (!unfinished_.empty()) take_text("\n");
    return true;
  }

  void add_to(std::vector<pollfd>& polled) const {
    if (running()) process_->add_to(polled);
  }
  void beat() {
    if (running() && !process_->has_unwritten()) process_->tell("\n");
  }
  /// Asks the peer to end in good order. Kills a peer that has not begun to train.
  void tell_to_end() {
    if (!running()) return;
    process_->tell(std::string(InputWatch::word_to_end) + "\n");
    process_->end_input();
    if (!started_) kill();
  }
  void tell_of_loss(const std::string& reason) {
    process_->tell(std::string(InputWatch::word_of_loss) + reason + "\n");
  }
  void tell_of_end(PeerId peer, const std::string& how) {
    process_->tell(std::string(InputWatch::word_of_end) + std::to_string(peer) + " " + how + "\n");
  }
  void kill() {
    if (!running()) return;
    process_->kill();
    is_killed_from_here_ = true;
  }

  PeerId id() const { return plan_.id; }
  const std::string& label() const { return plan_.label; }
  const std::string& host() const { return plan_.host; }
  const std::string& log() const { return log_; }

  /// Returns the exit code that the end of this peer means for the run.
  int exit_code() const {
    const int code = process_->code();
    if (is_killed()) return exit_lost;
    if (code == ssh_failed || code == command_not_found || code == command_not_executable || !started_)
      return started_ ? exit_lost : code == exit_interrupted ? exit_interrupted : exit_misuse;
    const bool known = code == exit_done || code == exit_failure || code == exit_misuse ||
                       code == exit_lost || code == exit_diverged || code == exit_interrupted;
    return known ? code : static_cast<int>(exit_lost);
  }

  /// True if it did not end by itself, but because this launcher killed it.
  bool is_killed_from_here() const { return is_killed_from_here_ && process_->code() == 128 + SIGKILL; }

  /// True if its process on its host may live: only the connection to it has ended.
  bool may_live() const { return process_->code() == ssh_failed; }

  std::string how_it_ended() const { return "peer " + plan_.label + ": " + last_words(); }

  /// Returns how it ended, without its name.
  std::string last_words() const {
    std::string words = last_line_.starts_with(own_words) ? last_line_.substr(own_words.size()) : last_line_;
    const int code = process_->code();
    if (is_killed())
      words = "it was killed by signal " + std::to_string(code - 128);
    else if (code == ssh_failed && started_)
      words = "it was lost: it was killed, or its ssh connection broke" +
              (words.empty() ? "" : "; its last words: " + words);
    else if (words.empty())
      words = "it ended with code " + std::to_string(code);
    const bool left_something = started_ && code == ssh_failed && !plan_.leaves_in.empty();
    return words + (left_something ? "; what it has left is in " + plan_.leaves_in : "");
  }

 private:
  /// True if a signal killed the process. (ssh says 255, whatever became of the process on its host.)
  bool is_killed() const {
    const int code = process_->code();
    return code > 128 && code != exit_interrupted && code != ssh_failed;
  }

  ParcelReader::Receiver with_lines(ParcelReader::Receiver receiver) {
    receiver.line = [this](const std::string& line) { take_text(line + "\n"); };
    return receiver;
  }

  void take_text(std::string_view bytes) {
    for (const char c : bytes) {
      if (c != '\n') {
        if (unfinished_.size() < 4096) unfinished_ += c;
        continue;
      }
      if (!unfinished_.empty() && unfinished_.back() == '\r') unfinished_.pop_back();
      // What is wrong with the run file, every peer says in the same words.
      if (!unfinished_.starts_with(own_words) || said_.try_emplace(unfinished_, id()).first->second == id())
        std::fprintf(stderr, "%s: %s\n", plan_.name.c_str(), unfinished_.c_str());
      if (log_.size() < longest_log_bytes) log_ += unfinished_ + "\n";
      if (!unfinished_.empty()) last_line_ = unfinished_;
      unfinished_.clear();
    }
  }

  const LaunchedPeerPlan& plan_;
  ParcelReader reader_;
  std::map<std::string, PeerId>& said_;
  std::string unfinished_;
  std::string last_line_;
  std::string log_;
  bool started_ = false;
  bool is_killed_from_here_ = false;
  Clock::time_point begun_at_;
  std::optional<ChildProcess> process_;
};

class LaunchedRun {
 public:
  explicit LaunchedRun(const LaunchedRunPlan& plan) : plan_(plan) {
    for (const LaunchedPeerPlan& peer : plan.peers) {
      const std::size_t at = peers_.size();
      ParcelReader::Receiver receiver{
          .begins = [this, at](const nlohmann::json& note) { return parcel_from(*peers_[at], note); },
          .ends = [this, at] { output_complete_ = output_complete_ || (at == 0 && record_begun_); }};
      peers_.push_back(std::make_unique<LaunchedPeer>(peer, std::move(receiver), said_));
    }
  }

  LaunchedRunEnd run() {
    Clock::time_point next_beat = Clock::now();
    begin_some();
    while (anybody_runs()) {
      wait();
      for (auto& peer : peers_)
        if (peer->look()) note_end(*peer);
      if (plan_.interrupted && plan_.interrupted->load()) interrupt();
      if (Clock::now() >= next_beat) {
        for (auto& peer : peers_) peer->beat();
        next_beat = Clock::now() + plan_.beat_every;
      }
      tell_first_of_ends();
      check_deadlines();
      hurry();
      begin_some();
    }
    if (output_complete_)
      for (const auto& peer : peers_)
        write_file(plan_.output / ("peer-" + std::to_string(peer->id()) + ".log"), {peer->log()});
    const int code_of_first = peers_.front()->ended() ? peers_.front()->exit_code() : exit_interrupted;
    if (interrupted_ && code_of_first != exit_done)
      return {exit_interrupted, "interrupted", output_complete_};
    if (failure_) return {failure_->exit_code, failure_->reason, output_complete_};
    if (code_of_first != exit_done) return {code_of_first, end_without_first(), output_complete_};
    return {code_of_first, "", output_complete_};
  }

 private:
  bool anybody_runs() const {
    return std::ranges::any_of(peers_, [](const auto& peer) { return peer->running(); });
  }

  /// Starts peers that have not begun, on each host as many as may log in at a time.
  void begin_some() {
    if (failure_ || interrupted_) return;
    std::map<std::string, int> starting;
    for (const auto& peer : peers_) starting[peer->host()] += peer->running() && !peer->started();
    for (auto& peer : peers_)
      if (!peer->begun() && starting[peer->host()] < most_that_start_on_a_host) {
        peer->begin();
        ++starting[peer->host()];
      }
  }

  void wait() {
    std::vector<pollfd> polled;
    for (const auto& peer : peers_) peer->add_to(polled);
    // A signal ends the wait early. A signal that comes just before the wait delays its handling by one
    // interval.
    poll(polled.data(), polled.size(), static_cast<int>(look_every.count()));
  }

  fs::path parcel_from(LaunchedPeer& peer, const nlohmann::json& note) {
    const std::string event = note.value("event", "");
    if (event == "started") peer.set_started();
    if (event == "news" && peer.id() == 0) plan_.on_news(note);
    // Peer 0 has the models of all iterations that were kept, those of other peers, too.
    const bool brings_models = event == "models" && peer.id() == 0;
    const bool brings_output = event == "output" && (peer.id() == 0 || plan_.drops);
    if (!brings_models && !brings_output) return {};
    if (!output_begun_) create_output(plan_.output, plan_.overwrite);
    output_begun_ = true;
    if (brings_models) {
      std::error_code told_by_the_first_file;
      fs::create_directories(plan_.output / models_folder, told_by_the_first_file);
      return plan_.output / models_folder;
    }
    record_begun_ = record_begun_ || peer.id() == 0;
    return plan_.output;
  }

  /// Returns the reason of a run that has dropped peer 0.
  std::string end_without_first() const {
    std::string reason = peers_.front()->how_it_ended();
    if (output_begun_ && !record_begun_)
      reason += "; the others went on, and their models are in " + plan_.output.string();
    return reason;
  }

  /// Notes that a peer has ended. The first failure is the reason; later ones are its consequences. One
  /// exception: the first peer to end may have been asked to (exit code 130), because of another peer whose
  /// broken connection is noticed later.
  void note_end(LaunchedPeer& peer) {
    const int code = peer.exit_code();
    if (code == exit_done || interrupted_ || peer.is_killed_from_here()) return;
    if (failure_ && (failure_->exit_code != exit_interrupted || code == exit_interrupted)) return;
    const bool run_ends = plan_.has_hub && peer.id() == hub_id;
    if (plan_.drops && !run_ends && peer.started() && code == exit_lost) {
      print_notice(peer.how_it_ended() + "; the run goes on");
      const Duration patience = peer.may_live() ? plan_.lost_after : Duration{0};
      ends_to_tell_.push_back({peer.id(), peer.last_words(), Clock::now() + patience});
      return;
    }
    failure_ = {code, peer.how_it_ended()};
    if (code == exit_lost) tell_first_of_loss();
    stop(peer.started() ? Clock::now() + patience_after_a_failure : Clock::now());
  }

  /// Tells peer 0 the reason, since a killed peer cannot. Peer 0 ends the run everywhere, with a record that
  /// has the reason.
  void tell_first_of_loss() {
    if (peers_.front()->running() && peers_.front()->started())
      peers_.front()->tell_of_loss(failure_->reason);
  }

  /// Tells peer 0 of peers that have ended, since a killed peer cannot: the run may not have begun.
  void tell_first_of_ends() {
    LaunchedPeer& first = *peers_.front();
    std::erase_if(ends_to_tell_, [&](const EndToTell& end) {
      const bool is_due = Clock::now() >= end.due && (!first.running() || first.started());
      if (is_due && first.running()) first.tell_of_end(end.id, end.how);
      return is_due;
    });
  }

  /// Fails the run if a peer has not started in time: its host may accept connections and then stall, in a
  /// login script or on a disk.
  void check_deadlines() {
    for (const auto& peer : peers_) {
      if (failure_ || interrupted_ || !peer->is_late(plan_.start_patience)) continue;
      failure_ = {exit_lost,
                  "peer " + peer->label() + ": it was not started within " + to_text(plan_.start_patience)};
      stop(Clock::now());
    }
  }

  void interrupt() {
    if (interrupted_) return;
    interrupted_ = true;
    // Peer 0 ends the run everywhere. If it cannot, `hurry` asks the others.
    peers_.front()->tell_to_end();
    for (auto& peer : peers_)
      if (!peer->started()) peer->tell_to_end();
    stop(peers_.front()->running() ? Clock::now() + patience_with_the_first : Clock::now());
  }

  void stop(Clock::time_point tell_all_at) {
    if (!tell_all_at_ || tell_all_at < *tell_all_at_) tell_all_at_ = tell_all_at;
  }

  /// Asks, and later kills, the peers that have not ended by themselves.
  void hurry() {
    const Clock::time_point now = Clock::now();
    if (tell_all_at_ && now >= *tell_all_at_ && !kill_all_at_) {
      for (auto& peer : peers_) peer->tell_to_end();
      kill_all_at_ = now + patience_of_the_told;
    }
    if (kill_all_at_ && now >= *kill_all_at_)
      for (auto& peer : peers_) peer->kill();
  }

  struct Failure {
    int exit_code;
    std::string reason;
  };
  struct EndToTell {
    PeerId id;
    std::string how;
    Clock::time_point due;
  };

  const LaunchedRunPlan& plan_;
  std::map<std::string, PeerId> said_;
  std::vector<std::unique_ptr<LaunchedPeer>> peers_;
  std::optional<Failure> failure_;
  std::vector<EndToTell> ends_to_tell_;  // to peer 0
  std::optional<Clock::time_point> tell_all_at_;
  std::optional<Clock::time_point> kill_all_at_;
  bool interrupted_ = false;
  bool output_begun_ = false;
  bool record_begun_ = false;  // the output of peer 0 has begun to arrive
  bool output_complete_ = false;
};

}  // namespace

LaunchedRunEnd run_launched(const LaunchedRunPlan& plan) { return LaunchedRun(plan).run(); }

}  // namespace hearsay

#include "tools/export/chrome_trace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tools/terminal/human_text.hpp"

namespace hearsay {

namespace {

constexpr std::array<const char*, 4> thread_names = {"gradients", "waits", "port up", "port down"};

/// Returns nanoseconds in microseconds: "12.345".
std::string microseconds(Duration duration) {
  std::array<char, 40> text{};
  const auto ns = static_cast<long long>(duration.count());
  std::snprintf(text.data(), text.size(), "%lld.%03lld", ns / 1000, ns % 1000);
  return text.data();
}

/// Returns the members of an event that say where it stands. Numbers begin at 1, since Perfetto takes
/// process 0 for the kernel's; those of threads differ between processes, too, as on a real machine.
std::string place_of(const Activity& activity) {
  const auto kind = static_cast<std::uint32_t>(activity.kind);
  return ",\"pid\":" + std::to_string(std::uint64_t{activity.peer} + 1) +
         ",\"tid\":" + std::to_string(4 * std::uint64_t{activity.peer} + kind + 1);
}

std::string activity_name(const Activity& activity) {
  const std::string other =
      activity.other == Activity::nobody ? "" : "peer " + std::to_string(activity.other);
  switch (activity.kind) {
    case ActivityKind::computes:
      return "gradient";
    case ActivityKind::waits:
      return other.empty() ? "wait" : "wait for " + other;
    case ActivityKind::sends:
      return "to " + other;
    case ActivityKind::receives:
      return "from " + other;
  }
  return "";
}

/// Names and orders the process of a peer, and its threads.
void name_peer(std::string& text, Activity activity) {
  const auto say = [&](const char* what, const std::string& arguments) {
    text += std::string(",\n{\"ph\":\"M\"") + place_of(activity) + ",\"name\":\"" + what + "\",\"args\":{" +
            arguments + "}}";
  };
  const std::string peer = std::to_string(activity.peer);
  activity.kind = ActivityKind::computes;
  say("process_name", "\"name\":\"peer " + peer + "\"");
  say("process_sort_index", "\"sort_index\":" + peer);
  for (std::uint32_t kind = 0; kind < thread_names.size(); ++kind) {
    activity.kind = static_cast<ActivityKind>(kind);
    say("thread_name", std::string("\"name\":\"") + thread_names[kind] + "\"");
    say("thread_sort_index", "\"sort_index\":" + std::to_string(kind));
  }
}

void tell(std::string& text, const Activity& activity) {
  text += ",\n{\"ph\":\"X\"" + place_of(activity) + ",\"ts\":" + microseconds(activity.begin) +
          ",\"dur\":" + microseconds(activity.takes) + ",\"name\":\"" + activity_name(activity) +
          "\",\"args\":{\"iteration\":" + std::to_string(activity.iteration);
  if (activity.kind == ActivityKind::sends || activity.kind == ActivityKind::receives)
    text += ",\"slot\":" + std::to_string(activity.slot) + ",\"bytes\":" + std::to_string(activity.bytes);
  text += "}}";
}

/// Adds an arrow from where a message was sent to where it was received.
void lead(std::string& text, const Activity& from, const Activity& to, std::size_t number) {
  const std::string message = ",\"id\":" + std::to_string(number) + R"(,"cat":"message","name":"message")";
  text += ",\n{\"ph\":\"s\"" + place_of(from) + ",\"ts\":" + microseconds(from.begin) + message + "}";
  text +=
      ",\n{\"ph\":\"f\",\"bp\":\"e\"" + place_of(to) + ",\"ts\":" + microseconds(to.begin) + message + "}";
}

}  // namespace

const std::string trace_mark = R"({"otherData":{"program":"hearsay")";

std::string chrome_trace(const std::vector<Activity>& activities, const std::string& run_name) {
  std::string text = trace_mark + ",\"run\":" +
                     nlohmann::json(run_name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                     "},\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  const std::size_t events_begin = text.size();
  // The messages that are under way, by sender, receiver, iteration and slot.
  std::map<std::tuple<PeerId, PeerId, std::uint64_t, std::uint32_t>, std::deque<const Activity*>> sent;
  const Activity* previous = nullptr;
  for (const Activity& activity : activities) {
    if (!previous || previous->peer != activity.peer) name_peer(text, activity);
    previous = &activity;
    tell(text, activity);
    if (activity.kind == ActivityKind::sends)
      sent[{activity.peer, activity.other, activity.iteration, activity.slot}].push_back(&activity);
  }
  std::size_t arrows = 0;
  for (const Activity& activity : activities) {
    if (activity.kind != ActivityKind::receives) continue;
    const auto message = sent.find({activity.other, activity.peer, activity.iteration, activity.slot});
    if (message == sent.end() || message->second.empty()) continue;
    lead(text, *message->second.front(), activity, ++arrows);
    message->second.pop_front();
  }
  if (text.size() > events_begin) text.erase(events_begin, 1);  // the first comma
  return text + "\n]}\n";
}

std::string cut_text(const std::string& file, const std::vector<Activity>& activities) {
  Duration until{0};
  std::uint64_t iteration = 0;
  for (const Activity& activity : activities) {
    until = std::max(until, activity.begin);
    iteration = std::max(iteration, activity.iteration);
  }
  return file + " holds the beginning of the run only, " + grouped(activities.size()) +
         " spans: " + seconds_text(seconds(until)) + ", up to iteration " + grouped(iteration) +
         "; fewer peers or iterations fit as a whole";
}

}  // namespace hearsay

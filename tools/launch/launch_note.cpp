#include "tools/launch/launch_note.hpp"

#include <nlohmann/json.hpp>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr int note_version = 4;

}  // namespace

nlohmann::json to_json(const LaunchNote& note) {
  return {{"version", note_version},
          {"id", note.id},
          {"run_file", note.run_file},
          {"folder", note.folder.string()},
          {"assignments", note.assignments},
          {"command", note.command},
          {"wait", note.start_patience},
          {"save_peers", note.save == SaveModels::peers},
          {"quiet", note.quiet},
          {"has_initial_model", note.has_initial_model},
          {"has_links", note.has_links},
          {"has_availability", note.has_availability},
          {"sends_news", note.sends_news},
          {"resume", note.resume}};
}

LaunchNote read_launch_note(const nlohmann::json& json) {
  try {
    if (json.at("version") != note_version)
      throw Misuse("hearsay launch sent a note of version " + json.at("version").dump() +
                   ", this hearsay reads " + std::to_string(note_version) +
                   ": install the same on all hosts");
    LaunchNote note;
    json.at("id").get_to(note.id);
    json.at("run_file").get_to(note.run_file);
    note.folder = json.at("folder").get<std::string>();
    json.at("assignments").get_to(note.assignments);
    json.at("command").get_to(note.command);
    json.at("wait").get_to(note.start_patience);
    note.save = json.at("save_peers").get<bool>() ? SaveModels::peers : SaveModels::mean;
    json.at("quiet").get_to(note.quiet);
    json.at("has_initial_model").get_to(note.has_initial_model);
    json.at("has_links").get_to(note.has_links);
    json.at("has_availability").get_to(note.has_availability);
    json.at("sends_news").get_to(note.sends_news);
    json.at("resume").get_to(note.resume);
    return note;
  } catch (const nlohmann::json::exception& error) {
    throw Misuse(std::string("the standard input is not hearsay launch's: ") + error.what());
  }
}

}  // namespace hearsay

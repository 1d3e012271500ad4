#include "runtime/settings/run_settings_file.hpp"

#include "runtime/foundation/whole_file.hpp"
#include "runtime/settings/fault_keys.hpp"
#include "runtime/settings/network_keys.hpp"
#include "runtime/settings/run_file.hpp"
#include "runtime/settings/run_keys.hpp"
#include "runtime/settings/with_all_methods.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

RunSettings load_run_file(const std::filesystem::path& file, const std::vector<std::string>& assignments) {
  const std::string text = read_text_file(file);
  return parse_run(text, std::filesystem::absolute(file).parent_path(), assignments, file);
}

RunSettings parse_run(std::string_view toml_text, const std::filesystem::path& directory,
                      const std::vector<std::string>& assignments,
                      const std::string& file_name_for_messages) {
  RunFile file(toml_text, file_name_for_messages);
  if (file.has_sweep())
    throw Misuse(file_name_for_messages + " has a [sweep] table, so it is many runs: use `hearsay sweep " +
                 file_name_for_messages + "`");
  file.assign(parse_assignments(assignments));
  return file.resolve(directory);
}

std::string to_toml(const RunSettings& settings) {
  std::string text;
  std::string table;
  const auto add = [&text](const std::string& key, const std::string& value) {
    if (!value.empty()) text += key + " = " + value + "\n";
  };
  const RunSettings unset;
  const bool brings_data = settings.model.kind == "program";
  for (const KeyRow<RunSettings>& key : run_keys()) {
    const std::size_t dot = key.name().find('.');
    // A default of [data] would say that there are such data.
    if (brings_data && key.name().starts_with("data.") && key.write(settings) == key.write(unset)) continue;
    if (key.name().substr(0, dot) != table) {
      table = key.name().substr(0, dot);
      text += (text.empty() ? "[" : "\n[") + table + "]\n";
    }
    add(key.name().substr(dot + 1), key.write(settings));
  }
  for (const auto& [peer, network] : settings.peer_networks) {
    text += "\n[[network.peer]]\n";
    add("id", std::to_string(peer));
    for (const KeyRow<NetworkSettings>& key : network_keys()) add(key.name(), key.write(network));
  }
  for (const LinkOverride& link : settings.link_overrides) {
    text += "\n[[network.link]]\n";
    add("from", std::to_string(link.from));
    add("to", std::to_string(link.to));
    for (const KeyRow<LinkOverride>& key : link_keys()) add(key.name(), key.write(link));
  }
  return text + faults_text(settings.faults);
}

const std::vector<std::string>& run_file_keys() {
  return with_all_methods([] {
    std::vector<std::string> names = names_of(run_keys());
    names.insert(names.end(), {"network.peer", "network.link", faults_key});
    return names;
  });
}

}  // namespace hearsay

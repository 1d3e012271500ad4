#include "runtime/wire/agreement.hpp"

#include <algorithm>
#include <utility>

#include "runtime/foundation/byte_stream.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {
namespace {

void append_text(ByteWriter& writer, const std::string& text) {
  ensure(is_agreeable(text), "an agreement's texts are short and printable");
  writer.number(static_cast<std::uint16_t>(text.size()));
  writer.bytes(std::as_bytes(std::span(text)));
}

/// Reads a key or a value. The reader fails if the text is not agreeable.
std::string read_text(ByteReader& reader) {
  std::string text;
  for (const std::byte byte : reader.bytes(reader.number<std::uint16_t>())) text += static_cast<char>(byte);
  if (!is_agreeable(text)) reader.fail();
  return text;
}

void append_settings(ByteWriter& writer, const std::vector<AgreedSetting>& settings) {
  ensure(settings.size() <= max_agreed_settings, "a handshake has room for all settings of a run");
  writer.number(static_cast<std::uint16_t>(settings.size()));
  for (const auto& [key, value] : settings) {
    append_text(writer, key);
    append_text(writer, value);
  }
}

std::vector<AgreedSetting> read_settings(ByteReader& reader) {
  std::vector<AgreedSetting> settings;
  const std::size_t count = reader.number<std::uint16_t>();
  if (count > max_agreed_settings) reader.fail();
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    std::string key = read_text(reader);
    settings.push_back({std::move(key), read_text(reader)});
  }
  return settings;
}

std::string quoted_if_empty(const std::string& value) { return value.empty() ? "\"\"" : value; }

}  // namespace

bool is_agreeable(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return text.size() <= max_agreed_text && std::none_of(text.begin(), text.end(), is_control);
}

std::vector<std::byte> encode_agreement(const Agreement& agreement) {
  ByteWriter writer;
  append_settings(writer, agreement.settings);
  if (!agreement.statements.empty()) append_settings(writer, agreement.statements);
  return std::move(writer).take();
}

std::optional<Agreement> decode_agreement(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  Agreement agreement{.settings = read_settings(reader)};
  if (reader.read_whole()) return agreement;
  agreement.statements = read_settings(reader);
  if (!reader.read_whole() || agreement.statements.empty()) return std::nullopt;
  return agreement;
}

std::string printable_text(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), max_agreed_text))) {
    const auto code = std::to_integer<unsigned char>(byte);
    text.push_back(code < 0x20 || code == 0x7f ? ' ' : static_cast<char>(code));
  }
  return text;
}

std::string how_it_left(std::span<const std::byte> payload) {
  return "has left: " +
         (payload.empty() ? "it was asked to end, or its program has failed" : printable_text(payload));
}

std::uint32_t run_id(const Agreement& agreement) {
  return payload_checksum(encode_agreement({.settings = agreement.settings}));
}

namespace {

/// What a run does that does not state an optional key.
std::string_view value_if_unstated(std::string_view key) {
  if (key == "data.order") return "with-replacement";
  if (key == "data.test") return "no share of the samples";
  if (key == "run.evaluate") return "mean or peers";
  if (key == "topology.hub") return "worker";
  if (key == "version of the messages") return "1";
  if (key == "topology.round_deadline") return "0 s";
  return "none";
}

std::string value_in(const std::vector<AgreedSetting>& settings, const std::string& key) {
  const auto found = std::ranges::find(settings, key, &AgreedSetting::key);
  return found == settings.end() ? std::string(value_if_unstated(key)) : quoted_if_empty(found->value);
}

/// Returns the first key whose values differ; empty if there is none. The same one if the lists are swapped.
std::string first_difference(const std::vector<AgreedSetting>& one, const std::vector<AgreedSetting>& other) {
  const auto differing_key = [](const auto& list, const auto& other_list, std::size_t k) -> std::string {
    if (k >= list.size()) return "";
    const std::string& key = list[k].key;
    return value_in(list, key) == value_in(other_list, key) ? "" : key;
  };
  for (std::size_t k = 0; k < std::max(one.size(), other.size()); ++k) {
    if (k < one.size() && k < other.size() && one[k] == other[k]) continue;
    const std::string in_one = differing_key(one, other, k), in_other = differing_key(other, one, k);
    if (!in_one.empty() && !in_other.empty()) return std::min(in_one, in_other);
    if (in_one != in_other) return in_one + in_other;  // one of them is empty
  }
  return "";
}

/// What two values do not say to their reader: what to do about them.
std::string remedy(const std::string& key) {
  // Two digests say little to whose models were made from different seeds.
  if (key.starts_with("model (digest")) return "; expected the same model, made from the same seed";
  if (key == "algorithm.form") return "; that is algorithm.order, signs, memories or mixes of the run file";
  if (key == "algorithm.memory") return "; expected the same; where it is unset, it is \"replicas\"";
  if (key == "algorithm.reduce")
    return "; \"auto\" chooses by the [network] of each host: expected an equal one, or algorithm.reduce = "
           "\"ring\" or \"doubling\" on all of them";
  if (key.starts_with("feature") || key.starts_with("target of"))
    return "; expected the same names in the headers of all peers' files, and the features in the same order";
  if (key.starts_with("data.scale"))
    return "; expected one factor for all peers' files, and a file in another unit converted to theirs";
  if (key == "data.index_base")
    return "; expected one for all peers' files, and a file that counts otherwise numbered as they are";
  if (key == "data.target") return "; expected one for all peers' files, or the same names in their headers";
  if (key == "version of the messages") return "; expected the same version of hearsay on all hosts";
  if (key == build_key)
    return "; expected one build on all hosts, or run.builds = \"any\" in all their run files";
  if (key.starts_with("labels of")) return "; data.classes = N says that they are 0 to N - 1";
  return "";
}

/// The values stand as a reader sees them.
std::string two_values(const std::string& key, const std::string& own, const std::string& other,
                       std::string_view their_name, std::string_view my_name) {
  return std::string(their_name) + " runs with " + key + " = " + other + ", " + std::string(my_name) +
         " with " + own + remedy(key);
}

}  // namespace

std::string home_samples_key(PeerId peer) { return "training samples of peer " + std::to_string(peer); }

std::optional<std::string> difference_of_statements(const std::vector<AgreedSetting>& mine,
                                                    const std::vector<AgreedSetting>& theirs,
                                                    std::string_view their_name, std::string_view my_name) {
  const AgreedSetting any{builds_key, any_builds};
  const auto permits_any = [&](const auto& stated) { return std::ranges::find(stated, any) != stated.end(); };
  const bool compares_builds = !permits_any(mine) || !permits_any(theirs);
  for (const AgreedSetting& own : mine) {
    if (own.key == build_key && !compares_builds) continue;
    const auto other = std::ranges::find(theirs, own.key, &AgreedSetting::key);
    if (other != theirs.end() && *other != own)
      return two_values(own.key, quoted_if_empty(own.value), quoted_if_empty(other->value), their_name,
                        my_name);
  }
  return std::nullopt;
}

std::optional<std::string> disagreement(const Agreement& mine, const Agreement& theirs,
                                        std::string_view their_name, std::string_view my_name) {
  const bool settings_are_equal = mine.settings == theirs.settings;
  const std::string key = settings_are_equal ? "" : first_difference(mine.settings, theirs.settings);
  // Other labels, or columns, make another model: what the data are called says more than its digest.
  const bool models_differ = key.starts_with("model ");
  std::vector<AgreedSetting> statements = mine.statements;
  if (models_differ)
    std::erase_if(statements,
                  [](const AgreedSetting& said) { return said.key.find("(digest") != said.key.npos; });
  if (settings_are_equal || models_differ)
    if (auto said = difference_of_statements(statements, theirs.statements, their_name, my_name)) return said;
  if (settings_are_equal) return std::nullopt;

  if (key.empty())  // the order differs, say, and with it the run id
    return std::string(their_name) + " states the same settings as " + std::string(my_name) +
           " in another form; expected the same version of hearsay";
  return two_values(key, value_in(mine.settings, key), value_in(theirs.settings, key), their_name, my_name);
}

std::string differences(const Agreement& then, const Agreement& now) {
  std::vector<std::string> changes;
  const auto note = [&](const std::string& key) {
    const std::string was = value_in(then.settings, key), is = value_in(now.settings, key);
    if (was == is) return;
    const std::size_t digest = key.find(" (digest of ");  // two digests say nothing to a user
    changes.push_back(digest == key.npos
                          ? key + " = " + was + ", now " + is
                          : "the " + key.substr(0, digest) + key.substr(digest).replace(2, 10, ""));
  };
  for (const AgreedSetting& setting : then.settings) note(setting.key);
  for (const AgreedSetting& setting : now.settings)
    if (std::ranges::find(then.settings, setting.key, &AgreedSetting::key) == then.settings.end())
      note(setting.key);
  std::string text;
  for (std::size_t k = 0; k < changes.size(); ++k)
    text += (k == 0 ? "" : k + 1 == changes.size() ? ", and " : ", ") + changes[k];
  return text;
}

HelloVerdict judge_hello(const Agreement& mine, PeerId self, std::span<const std::byte> hello, PeerId caller,
                         bool listens) {
  const std::string own_name = "peer " + std::to_string(self);
  const std::string their_name = "peer " + std::to_string(caller);
  const std::optional<Agreement> theirs = decode_agreement(hello);
  if (!theirs)
    return {own_name + " cannot read the hello of " + their_name, their_name + " sent an unreadable hello"};
  if (const auto difference = disagreement(*theirs, mine, own_name, their_name))
    return {*difference, *disagreement(mine, *theirs, their_name, own_name)};
  if (!listens) return {own_name + " does not listen to " + their_name, {}};
  return {};
}

}  // namespace hearsay

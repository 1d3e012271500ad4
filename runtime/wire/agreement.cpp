#include "runtime/wire/agreement.hpp"

#include <algorithm>
#include <utility>

#include "runtime/foundation/little_endian.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

bool is_agreeable(std::string_view text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return text.size() <= max_agreed_text && std::none_of(text.begin(), text.end(), is_control);
}

std::string text_of_digest(std::uint64_t digest) {
  std::string text(16, '0');
  for (std::size_t i = 0; i < 16; ++i) text[15 - i] = "0123456789abcdef"[digest >> (4 * i) & 15];
  return text;
}

void append_number(std::vector<std::byte>& bytes, std::size_t number) {
  bytes.resize(bytes.size() + 2);
  store_little_endian(static_cast<std::uint16_t>(number), std::span(bytes).last(2));
}

void append_text(std::vector<std::byte>& bytes, const std::string& text) {
  ensure(is_agreeable(text), "an agreement's texts are short and printable");
  append_number(bytes, text.size());
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

/// Takes pieces off the front of an encoded agreement.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  std::optional<std::size_t> number() {
    if (rest_.size() < 2) return std::nullopt;
    const auto value = load_little_endian<std::uint16_t>(rest_);
    rest_ = rest_.subspan(2);
    return value;
  }

  std::optional<std::string> text() {
    const auto length = number();
    if (!length || *length > max_agreed_text || *length > rest_.size()) return std::nullopt;
    std::string text;
    for (const std::byte byte : rest_.first(*length)) text += static_cast<char>(byte);
    rest_ = rest_.subspan(*length);
    if (!is_agreeable(text)) return std::nullopt;
    return text;
  }

  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

std::string quoted_if_empty(const std::string& value) { return value.empty() ? "\"\"" : value; }

}  // namespace

Agreement make_agreement(const RunSettings& settings, std::uint64_t dimension, std::uint64_t data_digest,
                         std::uint64_t topology_digest) {
  const RunSettings::Run& run = settings.run;
  const RunSettings::Algorithm& algorithm = settings.algorithm;
  const RunSettings::Model& model = settings.model;
  Agreement agreement{{
      {"protocol", std::to_string(wire_version)},
      {"algorithm.kind", algorithm.kind},
      {"algorithm.compressor", algorithm.compressor.empty() ? "the method's default" : algorithm.compressor},
      {"algorithm.step_size", toml_number(algorithm.step_size)},
      {"algorithm.step_schedule", algorithm.step_schedule},
      {"algorithm.warm_up", std::to_string(algorithm.warm_up)},
      {"algorithm.batch", algorithm.batch ? std::to_string(*algorithm.batch) : "full"},
      {"run.seed", std::to_string(run.seed)},
      {"run.scalar", run.scalar == ScalarKind::float32 ? "float" : "double"},
      {"run.evaluate_every", std::to_string(run.evaluate_every)},
      {"run.target_loss", run.target_loss ? toml_number(*run.target_loss) : "none"},
      {"model dimension", std::to_string(dimension)},
      {"model.kind", model.kind},
      {"model.l1", toml_number(model.l1)},
      {"model.l2", toml_number(model.l2)},
      {"model.regularizer", model.regularizer},
      {"model.init", model.init == "zeros" ? "zeros" : "a file"},
      {"data (digest of samples and labels)", text_of_digest(data_digest)},
      {"data.partition", settings.data.partition},
      {"topology.peers", std::to_string(settings.topology.peers)},
      {"topology (digest of links and weights)", text_of_digest(topology_digest)},
      {"topology.schedule", settings.topology.schedule},
      {"topology.participation", toml_number(settings.topology.participation)},
  }};
  if (!settings.failure.join_later.empty()) {  // the weights of the first iteration follow from them
    std::string ids;
    for (const PeerId id : settings.failure.join_later) ids += (ids.empty() ? "" : ", ") + std::to_string(id);
    agreement.settings.push_back({"failure.join_later", ids});
  }
  for (const OptionKey& key : option_keys())
    agreement.settings.push_back(
        {"algorithm." + key.name, key.set_in(algorithm.options) ? key.text(algorithm.options) : "unset"});
  for (const AgreedSetting& setting : agreement.settings)
    if (!is_agreeable(setting.value))
      throw Misuse(setting.key, setting.value.substr(0, 40),
                   "expected at most 1024 bytes without control characters");
  return agreement;
}

std::vector<std::byte> encode_agreement(const Agreement& agreement) {
  ensure(agreement.settings.size() <= max_agreed_settings, "an agreement has at most 64 settings");
  std::vector<std::byte> bytes;
  append_number(bytes, agreement.settings.size());
  for (const auto& [key, value] : agreement.settings) {
    append_text(bytes, key);
    append_text(bytes, value);
  }
  return bytes;
}

std::optional<Agreement> decode_agreement(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  const auto count = reader.number();
  if (!count || *count > max_agreed_settings) return std::nullopt;
  Agreement agreement;
  for (std::size_t i = 0; i < *count; ++i) {
    auto key = reader.text();
    if (!key) return std::nullopt;
    auto value = reader.text();
    if (!value) return std::nullopt;
    agreement.settings.push_back({std::move(*key), std::move(*value)});
  }
  if (!reader.at_end()) return std::nullopt;
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

std::uint32_t run_id(const Agreement& agreement) { return payload_checksum(encode_agreement(agreement)); }

std::optional<std::string> disagreement(const Agreement& mine, const Agreement& theirs,
                                        std::string_view their_name) {
  const auto [own, other] = std::mismatch(mine.settings.begin(), mine.settings.end(), theirs.settings.begin(),
                                          theirs.settings.end());
  const bool own_ends = own == mine.settings.end();
  const bool other_ends = other == theirs.settings.end();
  if (own_ends && other_ends) return std::nullopt;

  const auto assignment = [](const AgreedSetting& setting) {
    return setting.key + " = " + quoted_if_empty(setting.value);
  };
  const std::string name(their_name);
  if (other_ends) return name + " states nothing where this peer runs with " + assignment(*own);
  if (own_ends) return name + " runs with " + assignment(*other) + ", where this peer states nothing";
  if (own->key != other->key)
    return name + " runs with " + assignment(*other) + ", where this peer states " + assignment(*own);
  return name + " runs with " + assignment(*other) + ", this peer with " + quoted_if_empty(own->value);
}

HelloVerdict judge_hello(const Agreement& mine, PeerId self, std::span<const std::byte> hello, PeerId caller,
                         bool listens) {
  const std::string own_name = "peer " + std::to_string(self);
  const std::string their_name = "peer " + std::to_string(caller);
  const std::optional<Agreement> theirs = decode_agreement(hello);
  if (!theirs)
    return {own_name + " cannot read the hello of this peer", their_name + " sent an unreadable hello"};
  if (const auto difference = disagreement(*theirs, mine, own_name))
    return {*difference, *disagreement(mine, *theirs, their_name)};
  if (!listens) return {own_name + " does not listen to " + their_name, {}};
  return {};
}

}  // namespace hearsay

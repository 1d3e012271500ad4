#include "runtime/program/hello.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/foundation/text_bytes.hpp"
#include "runtime/program/protocol.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

/// A clause that says what is wrong with a hello.
struct Wrong {
  std::string what;
};

/// Returns the whole number at `key`. Throws Wrong unless it lies in [least, most].
Index index_at(const Json& object, const char* key, Index least, Index most) {
  const std::string expected = "its hello has no " + std::string(key) + " from " + std::to_string(least) +
                               " to " + std::to_string(most);
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) throw Wrong{expected};
  const bool fits = found->is_number_unsigned()
                        ? found->get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                        : found->get<std::int64_t>() >= 0;
  const Index value = fits ? found->get<Index>() : -1;
  if (value < least || value > most) throw Wrong{expected};
  return value;
}

ScalarKind scalar_at(const Json& object) {
  const auto found = object.find("scalar");
  if (found != object.end() && *found == "float") return ScalarKind::float32;
  if (found != object.end() && *found == "double") return ScalarKind::float64;
  throw Wrong{"its hello has no scalar \"float\" or \"double\""};
}

SegmentTable layers_at(const Json& object, Index dimension) {
  const auto found = object.find("layers");
  if (found == object.end()) return {{"parameters", 0, dimension}};
  SegmentTable layers;
  Index begin = 0;
  if (!found->is_array() || found->empty()) throw Wrong{"the layers of its hello are no array of layers"};
  for (const Json& layer : *found) {
    if (!layer.is_array() || layer.size() != 3 || !layer[0].is_string())
      throw Wrong{"a layer of its hello is not [name, rows, columns]"};
    const Json sizes = {{"rows", layer[1]}, {"columns", layer[2]}};
    const Index rows = index_at(sizes, "rows", 1, dimension);
    const Index columns = index_at(sizes, "columns", 1, dimension);
    if (rows > (dimension - begin) / columns)
      throw Wrong{"the layers of its hello have more than " + std::to_string(dimension) +
                  " parameters together"};
    layers.push_back({layer[0].get<std::string>(), begin, rows, columns});
    begin = layers.back().end();
  }
  if (begin != dimension)
    throw Wrong{"the layers of its hello have " + std::to_string(begin) +
                " parameters together, and the model " + std::to_string(dimension)};
  return layers;
}

ProgramHello hello_from(std::string_view text, Index largest_dimension) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw Wrong{"its hello is no JSON object"};
  const auto protocol = json.find("protocol");
  if (protocol == json.end() || *protocol != program_protocol)
    throw Wrong{"it speaks another protocol; expected \"protocol\": " + std::to_string(program_protocol)};
  const auto scores = json.find("scores");
  if (scores == json.end() || *scores != true)
    throw Wrong{"it gives no loss, and every run is evaluated at x_0 and at its end; expected a loss"};
  ProgramHello hello;
  hello.dimension = index_at(json, "dimension", 1, largest_dimension);
  hello.samples = index_at(json, "samples", 0, std::numeric_limits<std::int32_t>::max());
  hello.scalar = scalar_at(json);
  hello.layers = layers_at(json, hello.dimension);
  return hello;
}

std::size_t aligned(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

std::string spelled(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json number_or_null(const std::optional<std::uint64_t>& number) {
  return number ? Json(*number) : Json(nullptr);
}

}  // namespace

std::variant<ProgramHello, std::string> read_hello(std::string_view json, Index largest_dimension) {
  try {
    return hello_from(json, largest_dimension);
  } catch (const Wrong& wrong) {
    return wrong.what;
  }
}

std::optional<std::vector<FixedPart>> read_fixed(std::string_view json) {
  const Json object = Json::parse(json, nullptr, false);
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find("fixed");
  if (found == object.end() || !found->is_array()) return std::nullopt;
  std::vector<FixedPart> parts;
  for (const Json& part : *found) {
    if (!part.is_array() || part.size() != 2 || !part[0].is_string() || !part[1].is_string())
      return std::nullopt;
    const auto text = [&](std::size_t k) { return printable(part[k].get<std::string>()); };
    parts.push_back({text(0), text(1)});
  }
  return parts;
}

MemoryLayout memory_layout(std::size_t dimension, std::size_t scalar_bytes, std::size_t samples) {
  MemoryLayout layout;
  layout.gradient = aligned(dimension * scalar_bytes);
  layout.samples = layout.gradient + aligned(dimension * scalar_bytes);
  layout.size = layout.samples + aligned(samples * sizeof(std::int64_t));
  return layout;
}

std::string facts_text(const ProgramFacts& facts, const MemoryLayout& layout) {
  Json settings = Json::object();
  for (const auto& [key, value] : facts.settings) settings[key] = value;
  return spelled({{"protocol", program_protocol},
                  {"peer", facts.peer},
                  {"peers", facts.peers},
                  {"seed", facts.seed},
                  {"iterations", number_or_null(facts.iterations)},
                  {"batch", number_or_null(facts.batch)},
                  {"memory", layout.size},
                  {"x", layout.x},
                  {"gradient", layout.gradient},
                  {"samples", layout.samples},
                  {"settings", settings}});
}

std::string refusal_text(const std::string& why) { return spelled({{"refused", why}}); }

std::string end_text(int code, const std::string& reason, const std::string& output) {
  return spelled(
      {{"code", code}, {"reason", reason}, {"output", output.empty() ? Json(nullptr) : Json(output)}});
}

}  // namespace hearsay

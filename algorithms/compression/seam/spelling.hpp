#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

struct StageSpelling;

/// A compressor as the user spells it:
///
///     pipeline := stage { "|" stage }
///     stage    := name [ "(" argument { "," argument } ")" ] { "{" pipeline "}" }
///     argument := [ key "=" ] value
///     value    := word | "{" word { "," word } "}"
///
/// Names, keys and words are runs of letters, digits and . % + - _ ^ /; blanks between them do not count.
/// Columns count from 1.
using PipelineSpelling = std::vector<StageSpelling>;

/// One stage of a pipeline.
struct StageSpelling {
  struct Argument {
    std::string key;    ///< empty for a bare value
    std::string value;  ///< a list without its blanks: "{0,0.5,1}"
    std::size_t column = 1;
    std::size_t value_column = 1;
  };
  std::string text;  ///< the whole spelling, for messages
  std::string name;
  std::size_t column = 1;
  std::vector<Argument> arguments;
  std::vector<PipelineSpelling> bodies;  ///< of a wrapper: repeat(4){topk(1%)}
};

/// Parses a spelling; the result has at least one stage. Misuse, naming algorithm.compressor, has the column
/// and what was expected there.
PipelineSpelling parse_pipeline(const std::string& text);

/// Throws a Misuse that refuses a whole stage: its column, then `what`.
[[noreturn]] void refuse_stage(const StageSpelling& stage, const std::string& what);

/// The arguments that a stage accepts: keys with a value, and flags, which are bare words ("scaled"). The
/// value of the key `bare` may stand without the key if it comes first: "qsgd(4)" is "qsgd(bits=4)".
struct StageSignature {
  std::string_view bare;
  std::vector<std::string> keys;
  std::vector<std::string> flags;
};

/// The arguments of a stage. The constructor checks them against the signature; the member functions then
/// read one each. Every error is a Misuse that has the column, what stands there and what was expected.
class Arguments {
 public:
  Arguments(const StageSpelling& stage, const StageSignature& signature);

  bool has(std::string_view key) const { return find(key) != nullptr; }
  bool flag(std::string_view name) const;
  /// One of `words`; the first of them if the key is missing.
  std::string word(std::string_view key, std::span<const std::string> words) const;
  /// A whole number in [least, most]; nothing if the key is missing. `instead` names other values that the
  /// key may have, for the message only.
  std::optional<std::uint64_t> count(std::string_view key, std::uint64_t least, std::uint64_t most,
                                     const std::string& instead = {}) const;
  /// A finite number above 0; a power of two may be written 2^-12. Nothing if the key is missing.
  std::optional<double> positive(std::string_view key) const;
  /// A share in (0, 1], written 1% or 0.01; nothing if the key is missing. A bare whole number is refused,
  /// since it looks like a count.
  std::optional<double> share(std::string_view key) const;
  /// A number above 0 followed by the unit, such as 2.5sigma; nothing if the key is missing.
  std::optional<double> positive_with_unit(std::string_view key, std::string_view unit) const;
  /// The numbers of a list {0,0.5,1}; empty if the key is missing or its value is no list.
  std::vector<double> list(std::string_view key) const;
  /// The value as written; empty if the key is missing.
  std::string_view text(std::string_view key) const;

  /// Throws a Misuse that refuses the argument `key`, or the whole stage if the key is missing.
  [[noreturn]] void refuse(std::string_view key, const std::string& expected) const;

 private:
  const StageSpelling::Argument* find(std::string_view key) const;

  StageSpelling stage_;
};

}  // namespace hearsay

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// Before two peers train together, each sends the other a hello frame. Its payload is the agreement: all
// settings that must be equal on both sides of a run. Paths, the number of iterations, the network and the
// output may differ, so they are not in it. The peer id, the incarnation and the first iteration that the
// peer still needs stand in the header of the hello (frame.hpp).
//
// The payload: u16 number of settings; for each setting u16 length and bytes of its key, then u16 length and
// bytes of its value. The statements follow in the same form, if there are any. Little-endian.

struct AgreedSetting {
  std::string key;
  std::string value;
  auto operator<=>(const AgreedSetting&) const = default;
};

/// The settings in the order in which they are compared. Most keys are those of the run file; values are
/// text.
struct Agreement {
  std::vector<AgreedSetting> settings;
  /// What a peer states beside them, which is no part of the run id: of its own data, such as the names of
  /// their columns, and of what may be another when all peers resume a run, such as the policy of failures. A
  /// key is compared only if both peers have it: not all files name what is in them.
  std::vector<AgreedSetting> statements = {};
  bool operator==(const Agreement&) const = default;
};

/// The key of the statement on how many samples a peer at home trains. Each peer has its own, so no two are
/// compared; the observer adds them up.
std::string home_samples_key(PeerId peer);

/// The statement which build of hearsay a peer is, and that whether others may be of another build. If both
/// peers state `any_builds`, their builds are not compared.
inline constexpr const char* build_key = "build of hearsay";
inline constexpr const char* builds_key = "run.builds";
inline constexpr const char* any_builds = "any";

inline constexpr std::size_t max_agreed_settings = 128;
/// The maximum length of a key or a value, in bytes.
inline constexpr std::size_t max_agreed_text = 1024;

/// True if `text` can be a key or a value: at most `max_agreed_text` bytes, no control characters. (Text from
/// another peer may be printed on a terminal.)
bool is_agreeable(std::string_view text);

std::vector<std::byte> encode_agreement(const Agreement& agreement);
/// Returns the agreement that `bytes` encode; nothing if they are malformed, have bytes left over, or hold a
/// text that is not agreeable. `bytes` may be arbitrary.
std::optional<Agreement> decode_agreement(std::span<const std::byte> bytes);

/// Returns a text from the network in a form that is safe on a terminal: control characters become spaces,
/// and everything after 1,024 bytes is cut off.
std::string printable_text(std::span<const std::byte> bytes);
/// Returns what the payload of a `parted` says of a peer that leaves: "has left: its objective failed".
/// Without a payload, as from earlier versions, what may be the reason.
std::string how_it_left(std::span<const std::byte> payload);

/// Returns the checksum of the encoded settings. Every header of the run carries it.
std::uint32_t run_id(const Agreement& agreement);

/// Returns nothing if the settings are equal, and what both state beside them, too; else a sentence that
/// names the first difference and both values:
///
///     peer 3 runs with algorithm.kind = d-psgd, peer 1 with dcd-psgd
///
/// The names say who is who at any peer: the sentence that ends one peer is the reason that all others print.
std::optional<std::string> disagreement(const Agreement& mine, const Agreement& theirs,
                                        std::string_view their_name, std::string_view my_name);

/// The same of what two peers state beside the settings; nothing if no key that both have differs.
std::optional<std::string> difference_of_statements(const std::vector<AgreedSetting>& mine,
                                                    const std::vector<AgreedSetting>& theirs,
                                                    std::string_view their_name, std::string_view my_name);

/// Returns which settings of a run have changed: "run.seed = 1, now 2, and the data". Empty if the agreements
/// are equal.
std::string differences(const Agreement& then, const Agreement& now);

/// What peer `self` answers to the hello of peer `caller`. Both texts are empty if the two may train
/// together.
struct HelloVerdict {
  std::string for_the_caller;  ///< why the hello is refused, sent to the caller
  std::string for_me;          ///< the same for the user of this peer; empty if it concerns the caller only
  bool welcome() const { return for_the_caller.empty(); }
};
/// `listens` is true if `self` hears the caller in the topology. `hello` may be arbitrary bytes.
HelloVerdict judge_hello(const Agreement& mine, PeerId self, std::span<const std::byte> hello, PeerId caller,
                         bool listens);

}  // namespace hearsay

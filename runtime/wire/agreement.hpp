#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// Before two peers train together, each sends the other a hello frame whose payload is its agreement:
// everything that must be equal on both sides of a run. It leaves out what may differ: paths, the number of
// iterations, the shape of the network, the output. Peer id, incarnation and the next (iteration, slot)
// needed stand in the hello's header (frame.hpp).
//
// The payload: u16 number of settings; of each, u16 length and bytes of its key, then of its value.
// Little-endian.

struct AgreedSetting {
  std::string key;
  std::string value;
  bool operator==(const AgreedSetting&) const = default;
};

/// The settings in the order in which they are compared. Keys are those of the run file, values are text.
struct Agreement {
  std::vector<AgreedSetting> settings;
  bool operator==(const Agreement&) const = default;
};

inline constexpr std::size_t max_agreed_settings = 64;
/// The limit of a key or a value, in bytes.
inline constexpr std::size_t max_agreed_text = 1024;

/// True if `text` can be a key or a value: not too long and without control characters (a stranger's text may
/// end up on a terminal).
bool is_agreeable(std::string_view text);

std::vector<std::byte> encode_agreement(const Agreement& agreement);
/// The agreement that `bytes` hold; nothing unless they are exactly one, of agreeable texts. Accepts
/// arbitrary bytes.
std::optional<Agreement> decode_agreement(std::span<const std::byte> bytes);

/// A sentence from the network, fit for a terminal: control characters become spaces, and it ends after 1,024
/// bytes.
std::string printable_text(std::span<const std::byte> bytes);

/// The digest of an agreement that every header of the run carries.
std::uint32_t run_id(const Agreement& agreement);

/// Nothing if the agreements are equal; else a sentence that names the first difference and both values:
///
///     peer 3 runs with algorithm.kind = d-psgd, this peer with dcd-psgd
std::optional<std::string> disagreement(const Agreement& mine, const Agreement& theirs,
                                        std::string_view their_name);

/// What peer `self` answers to the hello of peer `caller`. Both texts are empty if the two may train
/// together. Otherwise one tells the caller why not, the other tells this peer's own user.
struct HelloVerdict {
  std::string for_the_caller;
  std::string for_me;
  bool welcome() const { return for_the_caller.empty(); }
};
/// `listens`: the topology says that `self` hears the caller. `hello` may be arbitrary bytes.
HelloVerdict judge_hello(const Agreement& mine, PeerId self, std::span<const std::byte> hello, PeerId caller,
                         bool listens);

}  // namespace hearsay

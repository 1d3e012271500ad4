#pragma once

#include <cstdint>
#include <optional>

namespace hearsay {

/// Whether a peer has begun the run, and whether it runs without the observer since.
struct ObserverContact {
  /// How often the peer, once it has begun the run, began to run without the observer or had it back. It
  /// begins with the observer, and the two alternate. Nothing before it has begun.
  std::optional<std::uint32_t> turns = {};

  bool has_begun() const { return turns.has_value(); }
  bool is_without_observer() const { return turn_count() % 2 == 1; }
  /// The same count, 0 before the run.
  std::uint32_t turn_count() const { return turns.value_or(0); }
  bool operator==(const ObserverContact&) const = default;
};

// As a number: 0 before the run has begun there, 1 after, then one more at each turn.

constexpr std::uint32_t encode_contact(const ObserverContact& contact) {
  return contact.turns ? 1 + *contact.turns : 0;
}
constexpr ObserverContact decode_contact(std::uint32_t said) {
  return said == 0 ? ObserverContact{} : ObserverContact{said - 1};
}

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <optional>

namespace hearsay {

/// Whether a peer has begun the run, and whether it runs without the observer now.
struct ObserverContact {
  /// How often the peer has begun to run without the observer, plus how often it had the observer back. It
  /// begins the run with the observer, so an odd number means: without. Empty before it has begun the run.
  std::optional<std::uint32_t> turns = {};

  bool has_begun() const { return turns.has_value(); }
  bool is_without_observer() const { return turn_count() % 2 == 1; }
  /// Returns `turns`, or 0 before the run.
  std::uint32_t turn_count() const { return turns.value_or(0); }
  bool operator==(const ObserverContact&) const = default;
};

// As a number: 0 before the peer has begun the run, else 1 + `turns`.

constexpr std::uint32_t encode_contact(const ObserverContact& contact) {
  return contact.turns ? 1 + *contact.turns : 0;
}
constexpr ObserverContact decode_contact(std::uint32_t said) {
  return said == 0 ? ObserverContact{} : ObserverContact{said - 1};
}

}  // namespace hearsay

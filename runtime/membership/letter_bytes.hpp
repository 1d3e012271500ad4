#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "runtime/membership/agreement_words.hpp"

namespace hearsay::membership {

// A letter as the payload of a frame. Little-endian; a list is its length, u32, and its items.
//
//     u32  number of the view
//     u8   the word: 0 wish, 1 freeze, 2 promise, 3 propose, 4 accept, 5 refusal, 6 decided, 7 noted
//     of freeze, promise, propose, accept and refusal: the ballot
//     of promise: u8 presence, u64 completed, list of u32 suspects, list of members that are ready to join;
//              u8 1 and ballot and decision, if the sender has accepted one, else u8 0
//     of propose and decided: the decision
//
//     ballot   u32 round, u32 proposer
//     member   u32 id, u32 incarnation
//     decision u32 number of the next view, u32 who casts, list of its members, u64 completed, u32 giver

std::vector<std::byte> encode(const Letter& letter);
/// Empty if `bytes`, which may be arbitrary, are no letter.
std::optional<Letter> decode_letter(std::span<const std::byte> bytes);

}  // namespace hearsay::membership

#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// From now on the C library keeps the pages of freed memory for later allocations of this process. Else it
/// returns every block of more than 32 MB to the kernel when it is freed, and the kernel clears the pages of
/// the next block of that size. Messages of large models are such blocks, ours and ZeroMQ's. All threads
/// allocate from one arena, so that a block that one thread has freed serves the others.
///
/// Measured (D-PSGD, ring of 4 peers, messages of 96 MB, two cores): 0.53 of the kernel's seconds and 0.79 of
/// the time that 40 iterations took without; the same peak of memory. Small models: no difference.
///
/// For processes that are nothing but a peer, or end soon, before they begin other threads.
void keep_freed_pages();

/// Takes the pages of `bytes` from the kernel now, cleared and where possible as huge ones, for the next
/// allocations of this process: so that the first messages of a large model do not wait for pages. Does
/// nothing unless freed pages are kept.
///
/// Measured: bench/README.md, "the first exchanges".
void warm_pages(std::size_t bytes);

/// Returns the pages of bytes that are all zero to the kernel, which they cost no memory then: they are still
/// zero. Does nothing, and returns false, if one is not. The bytes are of the heap, and no other thread
/// writes to them.
bool give_back_zeros(std::span<const std::byte> bytes);
/// The same for bytes that are known to be zero, after they were read: where the kernel has no page of zeros
/// that all share, they take memory then.
void give_back_known_zeros(std::span<const std::byte> bytes);

}  // namespace hearsay

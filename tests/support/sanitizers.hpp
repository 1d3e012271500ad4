#pragma once

// HEARSAY_TESTS_ARE_SANITIZED is defined under a sanitizer that takes memory and addresses of its own, and
// brings its own allocator: limits and figures of memory are not those of the program then.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEARSAY_TESTS_ARE_SANITIZED
#endif
#endif

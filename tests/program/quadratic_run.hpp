#pragma once

#include <string>

namespace hearsay::test {

/// A run file of four peers that ends within moments. The time of their gradients is measured, not emulated.
inline const std::string small_run = R"toml(
[run]
iterations = 20
evaluate_every = 5
[model]
kind = "quadratic(50)"
[topology]
peers = 4
[algorithm]
batch = "full"
)toml";

/// The same with an emulated time of gradients.
inline const std::string quadratic_run = small_run + R"toml([network]
compute = "1 ms"
)toml";

}  // namespace hearsay::test

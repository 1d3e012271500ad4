#pragma once

#include <string>
#include <vector>

#include "algorithms/seam/method.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

/// Returns options to test besides the method's defaults, as far as the world permits them.
std::vector<MethodOptions> variants_of(const MethodInfo& method, const World& world);

/// The method's own compressor; if that would keep all of the laws' small models, the same with short chunks.
/// "none" if the method takes none.
std::string lossy_compressor(const MethodInfo& method);
/// The same with these options: a grid, if its codes are read near side information.
std::string lossy_compressor(const MethodInfo& method, const MethodOptions& options);
bool reads_near(const MethodOptions& options);

/// Two steps of a local optimizer to a round.
MethodOptions two_steps(const MethodInfo& method, const std::string& optimizer);

/// Options without momentum and with one step to a round, for laws about plain gradient steps.
MethodOptions plain_steps(const MethodInfo& method);

/// True if the method divides its steps by roots of past squares, so that they are as long for short
/// gradients.
inline bool divides_by_roots(const MethodInfo& method) {
  return method.name == "one-bit-adam" || method.name == "cd-adam" || method.name == "comp-ams" ||
         method.name == "qcmd-adagrad" || method.name == "qrda-adagrad";
}

}  // namespace hearsay::test

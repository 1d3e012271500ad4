#pragma once

#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#include <doctest/doctest.h>
#include <hwy/targets.h>

namespace hearsay::test {

/// Runs `check` once for each instruction set that is compiled in and that this machine has. Returns how many
/// there are.
template <class Check>
int on_every_target(Check check) {
  int targets = 0;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    CAPTURE(hwy::TargetName(target));
    check();
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return targets;
}

}  // namespace hearsay::test

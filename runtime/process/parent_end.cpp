#include "runtime/process/parent_end.hpp"

#include <signal.h>
#include <sys/prctl.h>

#include <atomic>

namespace hearsay {

namespace {

std::atomic<bool> parent_is_gone{false};
std::atomic<bool> was_interrupted{false};

void note_end_of_parent(int) { parent_is_gone = true; }
void note_interrupt(int) { was_interrupted = true; }

}  // namespace

void end_with_parent() {
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void outlive_parent() {
  signal(SIGUSR1, note_end_of_parent);
  for (const int number : {SIGINT, SIGHUP})
    if (signal(number, note_interrupt) == SIG_IGN) signal(number, SIG_IGN);  // keep what nohup has set
  signal(SIGTERM, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGUSR1);
}

bool parent_has_ended() { return parent_is_gone; }
bool must_end_without_parent() { return parent_is_gone && was_interrupted; }

}  // namespace hearsay

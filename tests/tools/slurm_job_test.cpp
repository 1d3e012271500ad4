#include "tools/sweep/slurm_job.hpp"

#include <doctest/doctest.h>

#include "tests/support/misuse_text.hpp"

namespace hearsay::test::slurm_job_test {

TEST_CASE("slurm job: the lines of squeue are tasks, and other lines are none") {
  const std::vector<SlurmTask> tasks = slurm_tasks(
      "CLUSTER: north\n"
      "0|RUNNING|None|n1\n"
      "12|PENDING|Resources|\n"
      "3|NODE_FAIL|NodeDown|n[2-3]\n"
      "N/A|COMPLETED|None|n1\n");
  REQUIRE(tasks.size() == 3);
  CHECK(tasks[0].number == 0);
  CHECK(tasks[0].node == "n1");
  CHECK_FALSE(tasks[0].has_ended());
  CHECK(tasks[1].number == 12);
  CHECK(tasks[1].reason == "Resources");
  CHECK_FALSE(tasks[1].has_ended());
  CHECK(tasks[2].state == "NODE_FAIL");
  CHECK(tasks[2].has_ended());
  CHECK(slurm_tasks("").empty());
}

TEST_CASE("slurm job: a task has ended unless Slurm may still run it") {
  SlurmTask task;
  for (const char* state : {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "OUT_OF_MEMORY", "PREEMPTED"}) {
    task.state = state;
    CHECK_MESSAGE(task.has_ended(), state);
  }
  for (const char* state : {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "REQUEUED"}) {
    task.state = state;
    CHECK_FALSE_MESSAGE(task.has_ended(), state);
  }
}

TEST_CASE("slurm job: its name has the cluster, if there are several") {
  CHECK(SlurmJob("17").id() == "17");
  CHECK(SlurmJob("17;north").id() == "17");
  CHECK(SlurmJob("17;north").name() == "17;north");
}

TEST_CASE("slurm job: the options of sbatch are words as a shell reads them") {
  using Words = std::vector<std::string>;
  CHECK(shell_words("--slurm", "") == Words{});
  CHECK(shell_words("--slurm", "--time=1:00:00  -p 'long one'") == Words{"--time=1:00:00", "-p", "long one"});
  CHECK(misuse_text([] { shell_words("--slurm", "--comment=\"a"); }) ==
        "--slurm = --comment=\"a: expected options of sbatch, as on its command line");
  CHECK(misuse_text([] { shell_words("--slurm", "--time=$HEARSAY_NOT_SET"); }) ==
        "--slurm = --time=$HEARSAY_NOT_SET: it names a variable that is not set; expected options of sbatch");
  CHECK(misuse_text([] { shell_words("--slurm", "$(reboot)"); }).find("expected options of sbatch") !=
        std::string::npos);
}

}  // namespace hearsay::test::slurm_job_test

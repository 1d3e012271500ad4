#include "runtime/record/output_rules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace hearsay::test::output_rules_test {

namespace {

using Kind = OutputSite::Kind;
using Names = std::vector<std::string>;

/// Names that any run or sweep may leave, and others that look like them.
const Names ours = {"run.toml",
                    "metrics.jsonl",
                    "consensus.jsonl",
                    "provenance.json",
                    "summary.json",
                    "sweep.json",
                    "index.jsonl",
                    "summary.json.partial",
                    "index.jsonl.partial",
                    "checkpoint-3-120",
                    "log-3-120",
                    "agreement-3",
                    "peer-3.log",
                    "influence.json",
                    "influence-samples.csv",
                    "influence-peers.csv",
                    "influence-links.csv",
                    "model.npy",
                    "model-3.npy",
                    "model-best-120.npy",
                    "model-10-peer-0.npy.partial"};
const Names foreign = {
    "thesis.tex",         "run.toml.bak",  "my-run.toml",   "peer-3.txt", "model.pt", "influence.json.backup",
    "metrics.jsonl.orig", "notes.partial", "influence.csv", "",           "logs",     "my-model.npy"};

}  // namespace

TEST_CASE("output rules: what runs and sweeps leave is ours by its name, and nothing else is") {
  for (const std::string& name : ours) CHECK_MESSAGE(is_output_file(name), name);
  for (const std::string& name : foreign) CHECK_FALSE_MESSAGE(is_output_file(name), name);
}

TEST_CASE("output rules: what tasks of Slurm share is ours in its folder only") {
  const Names of_tasks = {"plan.json", "plan.json.partial", "job",        "0.todo",
                          "17.done",   "17.done.partial",   "3.taken-12", "task-12.log"};
  CHECK(is_output_folder(task_folder, of_tasks, 0));
  CHECK_FALSE(is_output_folder("tasks", of_tasks, 0));
  CHECK_FALSE(is_output_folder(task_folder, Names{"thesis.tex"}, 0));
  CHECK_FALSE(is_output_folder(task_folder, of_tasks, 1));
}

TEST_CASE("output rules: one foreign file makes a folder a user's own, and so does a run.toml alone") {
  CHECK(is_output_folder("out", {}, 0));
  CHECK(is_output_folder("out", {}, 3));
  CHECK(is_output_folder("out", ours, 0));
  for (const std::string& name : foreign) {
    Names files = ours;
    files.push_back(name);
    CHECK_FALSE_MESSAGE(is_output_folder("out", files, 0), name);
  }
  const Names run_file = {"run.toml"};
  CHECK_FALSE(is_output_folder("out", run_file, 0));
  CHECK(is_output_folder("out", run_file, 1));  // checkpoints/, say
  CHECK(is_output_folder("out", Names{"run.toml", "metrics.jsonl"}, 0));
}

TEST_CASE("output rules: columns are ours in their folder, and nowhere else") {
  const Names columns = {"seconds.npy", "wait_seconds.npy", "model_digest.npy", "link_to.npy.partial"};
  CHECK(is_output_folder("per-peer", columns, 0));
  CHECK_FALSE(is_output_folder("per-peer", columns, 1));
  CHECK_FALSE(is_output_folder("out", columns, 0));
  CHECK_FALSE(is_output_folder("per-peer", Names{"seconds.npy", "seconds.png"}, 0));
  CHECK(is_output_folder("per-peer", ours, 1));  // the output of a run may have any name
}

TEST_CASE("output rules: what may not be had, or replaced, is said with the remedy") {
  for (const bool overwrite : {false, true}) {
    CHECK_FALSE(why_not_free({Kind::nothing}, overwrite));
    CHECK(why_not_free({Kind::file}, overwrite) ==
          "it is a file; expected a folder, new or of an earlier run");
    CHECK(why_not_free({Kind::link_to_nothing}, overwrite) ==
          "it is a link to nothing; expected a folder, new or of an earlier run");
  }
  const auto why = [](bool metrics, bool summary, bool sweep) {
    return why_not_free({Kind::folder, metrics, summary, sweep, true}, false).value_or("");
  };
  const std::string cut_off = " and holds a run that is going on or was cut off";
  const std::string replace = "; give --overwrite to replace it";
  CHECK(why(false, false, false) == "it exists" + replace + ", or another --output");
  CHECK(why(true, true, false) == "it exists" + replace + ", or another --output");
  CHECK(why(true, false, false) == "it exists" + cut_off + replace + ", or another --output");
  CHECK(why(false, false, true) ==
        "it exists" + replace + ", --resume to keep its points, or another --output");
  CHECK_FALSE(why_not_free({Kind::folder, true, true, false, true}, true));
  CHECK(why_not_free({Kind::folder, true, true, false, false}, true) ==
        "it exists and holds other things than outputs of hearsay, so it is not overwritten");
}

TEST_CASE("output rules: a run has ended unless it was interrupted or lost, or has no summary") {
  for (const std::string status : {"done", "target", "plateau", "diverged"}) {
    CHECK(has_ended(status));
    CHECK_FALSE(was_cut_off(status));
  }
  for (const std::string status : {"interrupted", "lost"}) {
    CHECK_FALSE(has_ended(status));
    CHECK(was_cut_off(status));
  }
  CHECK_FALSE(has_ended(""));
  CHECK_FALSE(was_cut_off(""));
}

TEST_CASE("output rules: a run that was cut off before its first evaluation is begun anew") {
  for (const std::string name : {"run.toml", "provenance.json", "consensus.jsonl", "checkpoints", "log-0-0",
                                 "agreement-0", "peer-0.log", "metrics.jsonl", "summary.json", "x.partial"})
    CHECK_MESSAGE(is_of_a_beginning(name), name);
  for (const std::string name : {"model.npy", "checkpoint-0-10", "sweep.json", "index.jsonl", "notes"})
    CHECK_FALSE_MESSAGE(is_of_a_beginning(name), name);
  CHECK(may_begin_anew(false, "", false));
  CHECK(may_begin_anew(true, "lost", false));
  CHECK_FALSE(may_begin_anew(true, "done", false));
  CHECK_FALSE(may_begin_anew(true, "", false));  // a summary that says nothing
  CHECK_FALSE(may_begin_anew(false, "", true));
  CHECK_FALSE(may_begin_anew(true, "lost", true));
}

TEST_CASE(
    "output rules: a file of the record is gone if the summary, or another file, says that it was written") {
  const RecordFile there{true, true};
  const RecordFile told{false, true};
  const RecordFile unknown{false, false};
  CHECK(gone_file({there, there, there, true, true}) == GoneFile::none);
  CHECK(gone_file({unknown, unknown, unknown, false, false}) == GoneFile::none);
  CHECK(gone_file({told, there, there, true, true}) == GoneFile::metrics);
  CHECK(gone_file({there, told, there, false, false}) == GoneFile::consensus);
  CHECK(gone_file({there, unknown, there, true, false}) == GoneFile::consensus);
  CHECK(gone_file({there, unknown, unknown, false, false}) == GoneFile::none);
  CHECK(gone_file({there, there, told, true, false}) == GoneFile::index);
  CHECK(gone_file({there, there, unknown, true, true}) == GoneFile::index);
  CHECK(gone_file({told, told, told, true, true}) == GoneFile::metrics);  // the first one is named
}

}  // namespace hearsay::test::output_rules_test

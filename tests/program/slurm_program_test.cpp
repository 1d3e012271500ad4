#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

// `hearsay sweep --slurm` against a stand-in of Slurm: four scripts, whose tasks are processes of this
// machine. Against Slurm itself it is tried by tests/slurm/sweep.sh.

namespace hearsay::test::slurm_program_test {

namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

const std::string three_variants = quadratic_run + R"toml(
[sweep]
driver = "simulate"
baseline = "A"
repeat = 2
network.latency = ["1 ms", "20 ms"]
[[sweep.variant]]
name = "A"
[[sweep.variant]]
name = "B"
algorithm.step_size = 0.01
[[sweep.variant]]
name = "refused"
algorithm.kind = "dcd-psgd"
algorithm.compressor = "dither(l2, bits=2, bucket=50)"
)toml";

/// What a task does that is to run as long as its test.
const std::string stays = "while [ -d \"$STATE\" ]; do sleep 0.05; done\n";

/// sbatch, scontrol, squeue and scancel, as far as hearsay uses them. What the commands of the tasks print
/// stays in the stand-in's folder.
class StandIn {
 public:
  explicit StandIn(const DataFolder& folder) : folder_(folder) {
    std::filesystem::create_directories(state());
    script("sbatch", R"sh(
for word in "$@"; do
  case "$word" in
    --refuse) echo "sbatch: error: invalid partition specified: refuse" >&2; exit 1;;
    --array=0-*) last=${word#--array=0-};;
    --wrap=*) command=${word#--wrap=};;
    --output=*) log=${word#--output=};;
  esac
done
for task in $(seq 0 "$last"); do
  {
    until [ -e "$STATE/released" ] || [ -e "$STATE/$task.ended" ] || [ ! -d "$STATE" ]; do sleep 0.05; done
    [ -e "$STATE/released" ] || exit 0
    export SLURM_ARRAY_TASK_ID=$task
    own=$(echo "$log" | sed "s/%a/$task/")
    if [ -e "$STATE/task.sh" ] && ! sh "$STATE/task.sh" "$task" > "$own" 2>&1; then
      code=1
    else
      sh -c "$command" > "$STATE/$task.log" 2>&1
      code=$?
    fi
    [ "$code" = 0 ] && echo COMPLETED > "$STATE/$task.ended" || echo FAILED > "$STATE/$task.ended"
  } < /dev/null > /dev/null 2>&1 &
  echo $! > "$STATE/$task.pid"
done
[ ! -e "$STATE/interrupts" ] || kill -INT $PPID
echo 17
)sh");
    script("squeue", R"sh(
for file in "$STATE"/*.pid; do
  [ -e "$file" ] || { echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1; }
  task=$(basename "$file" .pid)
  echo "$task|$(cat "$STATE/$task.ended" 2> /dev/null || echo RUNNING)|None|here"
done
)sh");
    script("scontrol", R"sh(
[ ! -e "$STATE/unwilling" ] || { echo "slurm_suspend error: the controller is away" >&2; exit 1; }
[ "$1" = release ] && echo > "$STATE/released"
)sh");
    script("scancel", R"sh(
case "$1" in --state=*) exit 0;; esac
for file in "$STATE"/*.pid; do
  echo CANCELLED > "$STATE/$(basename "$file" .pid).ended"
done
)sh");
  }

  std::filesystem::path state() const { return folder_.path() / "state"; }

  /// What each task does first; $1 is its number. A task ends if that fails.
  void tasks_begin_with(const std::string& commands) const { folder_.write("state/task.sh", commands); }
  void forget() const {
    std::filesystem::remove_all(state());
    std::filesystem::create_directories(state());
  }

  /// For a program that is to find the stand-in.
  std::function<void()> in_path() const {
    return [this] {
      setenv("STATE", state().c_str(), 1);
      setenv("PATH", ((folder_.path() / "bin").string() + ":" + getenv("PATH")).c_str(), 1);
    };
  }

  ProgramEnd run(const Words& words) const { return run_program(folder_.path(), words, in_path()); }

  /// How often each group of points was tried, by its label.
  std::map<std::string, int> tries() const {
    std::map<std::string, int> times;
    for (const auto& entry : std::filesystem::directory_iterator(state())) {
      if (entry.path().extension() != ".log") continue;
      std::istringstream lines(content_of(entry.path()));
      const std::string begin = "hearsay: tries ";
      for (std::string line; std::getline(lines, line);)
        if (line.starts_with(begin)) ++times[line.substr(begin.size())];
    }
    return times;
  }

 private:
  void script(const std::string& name, const std::string& body) const {
    std::filesystem::create_directories(folder_.path() / "bin");
    chmod(folder_.write("bin/" + name, "#!/bin/sh\n" + body).c_str(), 0755);
  }

  const DataFolder& folder_;
};

/// Returns the contents of all models and lines in an output, by their places.
std::map<std::string, std::string> results_in(const std::filesystem::path& output) {
  std::map<std::string, std::string> results;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(output))
    if (const auto& path = entry.path(); path.extension() == ".npy" || path.extension() == ".jsonl")
      results[path.lexically_relative(output).string()] = content_of(path);
  return results;
}

}  // namespace

TEST_CASE("sweep --slurm: whatever the number of tasks, each point is tried once, with the same results") {
  const DataFolder folder;
  folder.write("s.toml", three_variants);
  REQUIRE(run_program(folder.path(), {"sweep", "s.toml", "--output", "alone", "--json", "--quiet"}).code ==
          0);
  const StandIn slurm(folder);
  for (const char* tasks : {"1", "2", "50"}) {
    CAPTURE(tasks);
    slurm.forget();
    const std::string output = std::string("out-") + tasks;
    const ProgramEnd end = slurm.run({"sweep", "s.toml", "--output", output, "--slurm", "--tasks", tasks});
    CHECK_MESSAGE(end.code == 0, end.complained);
    CHECK(contains(end.complained, "job 17 of Slurm: "));
    CHECK(contains(end.complained, "12 of 12 points"));
    CHECK(content_of(folder.path() / output / "sweep.json") ==
          content_of(folder.path() / "alone/sweep.json"));
    CHECK(results_in(folder.path() / output) == results_in(folder.path() / "alone"));
    CHECK_FALSE(std::filesystem::exists(folder.path() / output / ".slurm"));
    const auto tries = slurm.tries();
    CHECK(tries.size() == 6);
    for (const auto& group : tries) CHECK_MESSAGE(group.second == 1, group.first);
  }
  const Json summary = Json::parse(content_of(folder.path() / "out-2/a/1-ms/seed-1/summary.json"));
  CHECK(contains(summary["provenance"]["command"], "sweep s.toml --output out-2 --slurm --tasks 2"));
}

TEST_CASE("sweep --slurm: axes are tuned by one job, and the results are those of another") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run +
                             "[sweep]\ndriver = \"simulate\"\ntune = [\"algorithm.step_size\"]\n"
                             "algorithm.step_size = [0.05, 0.1, 0.2]\nrepeat = 2\n");
  REQUIRE(run_program(folder.path(), {"sweep", "s.toml", "--output", "alone", "--quiet"}).code == 0);
  const StandIn slurm(folder);
  const ProgramEnd end = slurm.run({"sweep", "s.toml", "--output", "out", "--quiet", "--slurm"});
  CHECK_MESSAGE(end.code == 0, end.complained);
  for (const char* record : {"sweep.json", "tuning/sweep.json"})
    CHECK(content_of(folder.path() / "out" / record) == content_of(folder.path() / "alone" / record));
  CHECK(results_in(folder.path() / "out") == results_in(folder.path() / "alone"));
}

TEST_CASE("sweep --slurm: what a task was in the middle of when it died is tried again by --resume") {
  const DataFolder folder;
  folder.write("s.toml", three_variants);
  REQUIRE(run_program(folder.path(), {"sweep", "s.toml", "--output", "alone", "--quiet"}).code == 0);
  const StandIn slurm(folder);
  const auto sweep = [&](const Words& more) {
    Words words = {"sweep", "s.toml", "--output", "out", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return slurm.run(words);
  };
  // Task 0 takes the second group of points and dies; task 1 begins when it has it.
  slurm.tasks_begin_with(
      "cd out/.slurm\n"
      "if [ \"$1\" = 1 ]; then until [ -e 1.taken-0 ]; do sleep 0.05; done; exit 0; fi\n"
      "mv 1.todo 1.taken-0; echo 'hearsay: the node burns'; exit 1\n");
  const ProgramEnd died = sweep({"--slurm", "--tasks", "2"});
  CHECK(died.code == 3);
  CHECK(contains(died.complained,
                 "hearsay: task 0 of job 17 has ended early: FAILED, on here, in the middle of B, "
                 "network.latency = 1 ms, seed 1 (and 1 other network); its last words: hearsay: the node "
                 "burns\n"));
  CHECK(contains(died.complained, "hearsay: 2 points have no result; --resume --slurm tries again"));
  const Json record = Json::parse(content_of(folder.path() / "out/sweep.json"));
  CHECK(record["points"].size() == 10);
  const ProgramEnd resumed = sweep({"--resume"});  // without Slurm
  CHECK_MESSAGE(resumed.code == 0, resumed.complained);
  CHECK(content_of(folder.path() / "out/sweep.json") == content_of(folder.path() / "alone/sweep.json"));
  CHECK(results_in(folder.path() / "out") == results_in(folder.path() / "alone"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out/.slurm"));
}

TEST_CASE("sweep --slurm: a task that dies before it has begun leaves its share to the others") {
  const DataFolder folder;
  folder.write("s.toml", three_variants);
  const StandIn slurm(folder);
  slurm.tasks_begin_with("[ \"$1\" != 0 ]");
  const ProgramEnd end = slurm.run({"sweep", "s.toml", "--output", "out", "--slurm", "--tasks", "2"});
  CHECK_MESSAGE(end.code == 0, end.complained);
  slurm.forget();
  slurm.tasks_begin_with("echo 'sh: hearsay: not found'; exit 1");
  const ProgramEnd none = slurm.run({"sweep", "s.toml", "--output", "none", "--slurm", "--tasks", "7"});
  CHECK(none.code == 3);
  CHECK(contains(none.complained,
                 "task 0 of job 17 has ended early: FAILED, on here; its last words: sh: "
                 "hearsay: not found\n"));
  CHECK(contains(none.complained, "12 points have no result"));
}

/// Two variants, of which one needs a file.
const std::string needs_data = quadratic_run + R"toml(
[sweep]
driver = "simulate"
[[sweep.variant]]
name = "A"
[[sweep.variant]]
name = "from data"
model.init = "x.npy"
)toml";

void write_initial_model(const DataFolder& folder) {
  folder.write("zero.toml", quadratic_run);
  REQUIRE(run_program(folder.path(), {"simulate", "zero.toml", "--quiet", "--output", "zero"}).code == 0);
  std::filesystem::copy_file(folder.path() / "zero/model.npy", folder.path() / "x.npy");
}

TEST_CASE("sweep --slurm: what a node lacks is no refusal: the points stay open, and the node is named") {
  const DataFolder folder;
  folder.write("s.toml", needs_data);
  write_initial_model(folder);
  const StandIn slurm(folder);
  slurm.tasks_begin_with("[ ! -e x.npy ] || mv x.npy elsewhere");
  const ProgramEnd end = slurm.run({"sweep", "s.toml", "--output", "out", "--slurm", "--tasks", "1"});
  CHECK(end.code == 3);
  CHECK(contains(end.complained, "task 0 of job 17 has ended early: FAILED, on here"));
  CHECK(contains(end.complained, "1 point has no result"));
  CHECK(contains(content_of(slurm.state() / "0.log"), "model.init = "));
  CHECK(contains(content_of(slurm.state() / "0.log"), "there is no such file"));
  std::filesystem::rename(folder.path() / "elsewhere", folder.path() / "x.npy");
  CHECK(slurm.run({"sweep", "s.toml", "--output", "out", "--resume"}).code == 0);
}

TEST_CASE("sweep --slurm: what only the processes of a node lack is no refusal either, and is said once") {
  const DataFolder folder;
  folder.write("s.toml",
               quadratic_run +
                   "transport = \"tcp\"\n[sweep]\ndriver = \"run\"\nnetwork.congestion = [\"nobody-has\"]\n");
  const StandIn slurm(folder);
  const ProgramEnd end = slurm.run({"sweep", "s.toml", "--output", "out", "--slurm", "--tasks", "1"});
  CHECK(end.code == 3);
  CHECK(contains(end.complained, "1 point has no result"));
  const std::string said = content_of(slurm.state() / "0.log");
  const std::string sentence = "network.congestion = nobody-has: this kernel does not have it";
  CHECK(contains(said, sentence));
  CHECK(said.find(sentence) == said.rfind(sentence));
}

/// Three variants, of which one needs more memory than `little_memory` gives.
const std::string one_is_large = quadratic_run + R"toml(
[sweep]
driver = "simulate"
[[sweep.variant]]
name = "A"
[[sweep.variant]]
name = "large"
model.kind = "quadratic(10000000)"
[[sweep.variant]]
name = "C"
algorithm.step_size = 0.01
)toml";

/// A limit of this process, and what is said of a point that needs more.
struct LittleMemory {
  decltype(RLIMIT_AS) resource;
  std::string sentence;

  void set() const {
    constexpr rlim_t bytes = 700'000'000;
    const rlimit limit{bytes, bytes};
    setrlimit(resource, &limit);
  }
};
/// A run knows of the first one before it begins, and is refused; with the second one it gets no memory.
const std::vector<LittleMemory> little_memory = {
    {RLIMIT_AS, "GB of memory, and this process may use 0.7"},
    {RLIMIT_DATA, "large takes more memory than this machine gives"}};

TEST_CASE("sweep: a point for which the memory does not suffice is named, and the others go on") {
  for (const LittleMemory& little : little_memory) {
    CAPTURE(little.sentence);
    const DataFolder folder;
    folder.write("s.toml", one_is_large);
    const ProgramEnd end = run_program(
        folder.path(), {"sweep", "s.toml", "--output", "out", "--threads", "1"}, [&] { little.set(); });
    CHECK_MESSAGE(contains(end.complained, little.sentence), end.complained);
    CHECK(contains(end.complained, "large"));
    const Json record = Json::parse(content_of(folder.path() / "out/sweep.json"));
    REQUIRE(record["points"].size() == 3);
    CHECK(record["points"][0]["status"] == "done");
    CHECK(record["points"][1]["status"] == "refused");
    CHECK(record["points"][2]["status"] == "done");
  }
}

TEST_CASE("sweep --slurm: a point for which the memory of a node does not suffice stays open") {
  for (const LittleMemory& little : little_memory) {
    CAPTURE(little.sentence);
    const DataFolder folder;
    folder.write("s.toml", one_is_large);
    const StandIn slurm(folder);
    const ProgramEnd end =
        run_program(folder.path(),
                    {"sweep", "s.toml", "--output", "out", "--slurm", "--tasks", "1", "--threads", "1"}, [&] {
                      slurm.in_path()();
                      little.set();
                    });
    CHECK(end.code == 3);
    CHECK(contains(end.complained, "1 point has no result"));
    const std::string log = content_of(slurm.state() / "0.log");
    CHECK_MESSAGE(contains(log, little.sentence), log);
    CHECK(std::filesystem::exists(folder.path() / "out/.slurm/1.todo"));
  }
}

TEST_CASE("sweep --slurm: what one node lacks another does, and the first is named all the same") {
  const DataFolder folder;
  folder.write("s.toml", needs_data);
  write_initial_model(folder);
  const StandIn slurm(folder);
  slurm.tasks_begin_with(
      "if [ \"$1\" = 0 ]; then mv x.npy elsewhere; else until [ -e \"$STATE/0.ended\" ] || "
      "[ ! -d \"$STATE\" ]; do sleep 0.05; done; mv elsewhere x.npy; fi");
  const ProgramEnd end = slurm.run({"sweep", "s.toml", "--output", "out", "--slurm", "--tasks", "2"});
  CHECK_MESSAGE(end.code == 0, end.complained);
  CHECK(contains(end.complained, "task 0 of job 17 has ended early: FAILED, on here"));
}

TEST_CASE("sweep --slurm: results that were left when the command was killed are kept by --resume") {
  const DataFolder folder;
  folder.write("s.toml", three_variants);
  const StandIn slurm(folder);
  // Task 1 has one group of points when the command is killed; task 0 has done the others.
  slurm.tasks_begin_with(
      "cd out/.slurm\n"
      "if [ \"$1\" = 0 ]; then until [ -e 4.taken-1 ]; do sleep 0.05; done; exit 0; fi\n"
      "mv 4.todo 4.taken-1\n" +
      stays);
  {
    Program sweep(folder.path(), {"sweep", "s.toml", "--output", "out", "--slurm", "--tasks", "2"},
                  Program::Output::file, slurm.in_path());
    REQUIRE(sweep.wait_until([&] {
      return std::filesystem::exists(folder.path() / "out/.slurm/5.done") &&
             std::filesystem::exists(slurm.state() / "0.ended");
    }));
    kill(sweep.process(), SIGKILL);
    sweep.wait();
  }
  const ProgramEnd active = slurm.run({"sweep", "s.toml", "--output", "out", "--resume"});
  CHECK(active.code == 2);
  CHECK(contains(active.complained,
                 "job 17 of Slurm works in it; expected --slurm, which waits for it, or "
                 "scancel 17\n"));
  const ProgramEnd replaced = slurm.run({"sweep", "s.toml", "--output", "out", "--overwrite"});
  CHECK(replaced.code == 2);
  CHECK(contains(replaced.complained, "job 17 of Slurm works in it; expected scancel 17 first\n"));
  const ProgramEnd elsewhere = run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--resume"},
                                           [] { setenv("PATH", "/nowhere", 1); });
  CHECK(elsewhere.code == 2);
  CHECK(contains(elsewhere.complained,
                 "job 17 of Slurm may work in it, which cannot be asked here (squeue is "
                 "not in PATH); expected a machine of the cluster, or "));
  folder.write("state/1.ended", "CANCELLED\n");
  const ProgramEnd resumed = slurm.run({"sweep", "s.toml", "--output", "out", "--resume"});
  CHECK_MESSAGE(resumed.code == 0, resumed.complained);
  CHECK(contains(resumed.complained, "6 points of 12 finished before, and kept"));
}

TEST_CASE("sweep --slurm: interrupted, it cancels the job, and --resume goes on") {
  const DataFolder folder;
  folder.write("s.toml", three_variants);
  const StandIn slurm(folder);
  slurm.tasks_begin_with("echo > $STATE/waits-$1\n" + stays);
  Program sweep(folder.path(), {"sweep", "s.toml", "--output", "out", "--slurm", "--tasks", "1"},
                Program::Output::file, slurm.in_path());
  REQUIRE(sweep.wait_until([&] { return std::filesystem::exists(slurm.state() / "waits-0"); }));
  REQUIRE(sweep.wait_until([&] { return std::filesystem::exists(folder.path() / "out/.slurm/job"); }));
  kill(sweep.process(), SIGTERM);
  CHECK(sweep.wait() == 130);
  CHECK(contains(sweep.complained(), "hearsay: cancels job 17\n"));
  CHECK(contains(sweep.complained(), "hearsay: interrupted; --resume goes on\n"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out/.slurm"));
}

TEST_CASE("sweep --slurm: interrupted while it submits, it leaves no job in the queue") {
  const DataFolder folder;
  folder.write("s.toml", three_variants);
  const StandIn slurm(folder);
  folder.write("state/interrupts", "");
  const ProgramEnd end = slurm.run({"sweep", "s.toml", "--output", "out", "--slurm", "--tasks", "1"});
  CHECK(end.code == 130);
  CHECK(content_of(slurm.state() / "0.ended") == "CANCELLED\n");
  CHECK_FALSE(std::filesystem::exists(slurm.state() / "released"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
}

TEST_CASE("sweep --slurm: what is wrong is one sentence, and leaves nothing behind") {
  const DataFolder folder;
  folder.write("s.toml", three_variants);
  const StandIn slurm(folder);
  const auto refused = [&](const Words& more, const std::string& sentence) {
    Words words = {"sweep", "s.toml", "--output", "out"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramEnd end = slurm.run(words);
    CHECK(end.code == 2);
    CHECK(end.complained == "hearsay: " + sentence + "\n");
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
  };
  refused({"--slurm=--refuse"},
          "--slurm: Slurm does not take the job: sbatch: error: invalid partition specified: refuse");
  refused({"--slurm", "--network", "kernel"},
          "--network kernel makes network namespaces, as root; expected it without --slurm");
  refused({"--slurm", "--tasks", "0"}, "--tasks = 0: expected a whole number of tasks, 1 to 1000000");
  refused({"--tasks", "3"}, "--tasks requires --slurm (hearsay sweep --help says more)");
  folder.write("state/unwilling", "");
  refused({"--slurm"}, "--slurm: job 17 cannot begin: slurm_suspend error: the controller is away");
  CHECK(content_of(slurm.state() / "0.ended") == "CANCELLED\n");
  std::filesystem::remove(folder.path() / "bin/sbatch");
  const ProgramEnd none = run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--slurm"},
                                      [] { setenv("PATH", "/nowhere", 1); });
  CHECK(none.code == 2);
  CHECK(none.complained ==
        "hearsay: --slurm: sbatch is not in PATH; expected a machine from which jobs of Slurm are "
        "submitted\n");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
  const ProgramEnd task = run_program(folder.path(), {"task", "nowhere"});
  CHECK(task.code == 2);
  CHECK(task.complained ==
        "hearsay: nowhere has no work left of hearsay sweep --slurm, which starts this command\n");
}

}  // namespace hearsay::test::slurm_program_test

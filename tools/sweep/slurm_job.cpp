#include "tools/sweep/slurm_job.hpp"

#include <wordexp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <string_view>
#include <utility>

#include "tools/child/program_output.hpp"
#include "tools/terminal/shell_word.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// A controller that is busy answers late: the commands of Slurm themselves wait for it.
constexpr std::chrono::seconds patience{60};

/// Returns the last line that is not empty.
std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

std::string words_of(const ProgramOutput& ended) {
  const std::string said = last_line(ended.error.empty() ? ended.output : ended.error);
  return said.empty() ? "exit code " + std::to_string(ended.code) : said;
}

}  // namespace

bool SlurmTask::has_ended() const {
  static constexpr std::array<std::string_view, 10> ended = {
      "BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED",
      "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
  return std::ranges::find(ended, state) != ended.end();
}

std::vector<SlurmTask> slurm_tasks(const std::string& printed) {
  std::vector<SlurmTask> tasks;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string number;
    SlurmTask task;
    std::uint64_t place = 0;
    if (!std::getline(fields, number, '|') || !parse_whole(number, place)) continue;
    task.number = place;
    std::getline(fields, task.state, '|');
    std::getline(fields, task.reason, '|');
    std::getline(fields, task.node, '|');
    tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<std::string> shell_words(const std::string& option, const std::string& text) {
  wordexp_t expanded{};
  const int defect = wordexp(text.c_str(), &expanded, WRDE_NOCMD | WRDE_UNDEF);
  if (defect == WRDE_BADVAL)
    throw Misuse(option, text, "it names a variable that is not set; expected options of sbatch");
  if (defect != 0) throw Misuse(option, text, "expected options of sbatch, as on its command line");
  std::vector<std::string> words(expanded.we_wordv, expanded.we_wordv + expanded.we_wordc);
  wordfree(&expanded);
  return words;
}

SlurmJob::SlurmJob(std::string name) : name_(std::move(name)) {}

std::vector<std::string> SlurmJob::command(const std::string& program) const {
  std::vector<std::string> words = {program};
  if (const std::size_t end = name_.find(';'); end != std::string::npos)
    words.push_back("--clusters=" + name_.substr(end + 1));
  return words;
}

std::optional<std::vector<SlurmTask>> SlurmJob::tasks(std::string& defect) const {
  std::vector<std::string> words = command("squeue");
  words.insert(words.end(),
               {"--noheader", "--array", "--states=all", "--jobs=" + id(), "--format=%K|%T|%r|%N"});
  const std::optional<ProgramOutput> ended = output_of(words, patience);
  if (!ended) {
    defect = "squeue is not in PATH";
    return std::nullopt;
  }
  if (ended->code == 0) return slurm_tasks(ended->output);
  if (ended->error.find("Invalid job id") != std::string::npos) return std::vector<SlurmTask>();
  defect = "squeue: " + words_of(*ended);
  return std::nullopt;
}

void SlurmJob::release() const {
  std::vector<std::string> words = command("scontrol");
  words.insert(words.end(), {"release", id()});
  const std::optional<ProgramOutput> ended = output_of(words, patience);
  if (!ended) throw Misuse("--slurm: scontrol is not in PATH, so job " + id() + " cannot begin");
  if (ended->code != 0) throw Misuse("--slurm: job " + id() + " cannot begin: " + words_of(*ended));
}

void SlurmJob::cancel() const {
  std::vector<std::string> words = command("scancel");
  words.push_back(id());
  output_of(words, patience);
}

void SlurmJob::cancel_waiting() const {
  std::vector<std::string> words = command("scancel");
  words.insert(words.end(), {"--state=PENDING", id()});
  output_of(words, patience);
}

SlurmJob submit(const SlurmArray& array) {
  std::string line = "exec";  // so that a signal of Slurm reaches the program, not a shell
  for (const std::string& word : array.command) line += " " + shell_word(word);
  std::vector<std::string> words = {"sbatch",
                                    "--parsable",
                                    "--hold",
                                    "--job-name=" + array.job_name,
                                    "--output=" + array.log.string(),
                                    "--open-mode=append"};
  words.insert(words.end(), array.user_options.begin(), array.user_options.end());
  words.push_back("--array=0-" + std::to_string(array.tasks - 1));
  words.push_back("--wrap=" + line);
  const std::optional<ProgramOutput> ended = output_of(words, patience);
  if (!ended)
    throw Misuse("--slurm: sbatch is not in PATH; expected a machine from which jobs of Slurm are submitted");
  const std::string name = last_line(ended->output);
  if (ended->code != 0 || name.empty())
    throw Misuse("--slurm: Slurm does not take the job: " + words_of(*ended));
  return SlurmJob(name);
}

}  // namespace hearsay

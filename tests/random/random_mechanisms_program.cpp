// Holds random mechanisms against each other, any number of them by seed: docs/testing.md is its manual.
//
// Every batch of seeds runs in a process of its own, so that a crash or a hang is a row of the table and not
// the end of it.
#include <fmt/format.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "tests/random/seed_check.h"

namespace trammel {
namespace {

using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string seeds = "1:300";
  int jobs = 1;
  double timeout = 60;
  std::string out = "random-mechanisms";
  std::vector<std::string> without, methods;
  double rtol = 0;
  std::string shrink;  // a kind of finding
  bool write_only = false;
  std::string file;

  RandomFeatures features() const {
    RandomFeatures features;
    for (const std::string& name : without)
      for (const auto& [feature, member] : random_feature_names())
        if (feature == name) features.*member = false;
    return features;
  }
  PropertyOptions options(std::uint64_t seed, const Model& model) const {
    PropertyOptions options = options_of_seed(seed, model);
    if (!methods.empty()) options.methods = methods;
    if (rtol > 0) options.rtol = rtol;
    return options;
  }
};

std::string one_line(std::string text) {
  for (char& letter : text)
    if (letter == '\n' || letter == '\t') letter = ' ';
  return text;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// A file with what was found as comments, to be run by hand.
void write_found(const std::filesystem::path& path, const Model& model,
                 const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += fmt::format("# {}: {}\n", finding.kind, one_line(finding.text));
  write_file(path, text + write_model(model));
}

// Ends this process with SIGPROF when a seed has used up its time: of the processor, so that a busy machine
// makes no difference.
void start_timer(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds) + 1;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

// In the process of a batch: rows go to `pipe`.
void check_batch(const std::deque<std::uint64_t>& seeds, const Arguments& arguments, int pipe) {
  const auto say = [pipe](const std::string& line) {
    std::string_view rest = line;
    while (!rest.empty()) {
      const ssize_t written = write(pipe, rest.data(), rest.size());
      if (written <= 0) _exit(3);
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  };
  for (const std::uint64_t seed : seeds) {
    start_timer(arguments.timeout);
    std::vector<Finding> findings;
    try {
      const Model model = model_of_seed(seed, arguments.features());
      findings = check_properties(model, arguments.options(seed, model));
      if (!findings.empty())
        write_found(std::filesystem::path(arguments.out) / fmt::format("{}.yaml", seed), model, findings);
    } catch (const std::exception& error) {
      findings = {{"refused", error.what()}};
    }
    for (const Finding& finding : findings)
      say(fmt::format("found\t{}\t{}\t{}\n", seed, finding.kind, one_line(finding.text)));
    say(fmt::format("end\t{}\n", seed));
  }
}

// A process and the seeds it has still to do.
struct Worker {
  pid_t process = -1;
  int pipe = -1;
  std::deque<std::uint64_t> seeds;
  std::string text;  // not yet a whole line
  Clock::time_point begin;
};

class Supervisor {
 public:
  explicit Supervisor(const Arguments& arguments)
      : arguments_(arguments),
        rows_(std::filesystem::path(arguments.out) / "findings.tsv", std::ios::binary),
        workers_(static_cast<std::size_t>(arguments.jobs)) {}

  int run(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t seed = first; seed <= last; ++seed) waiting_.push_back(seed);
    total_ = waiting_.size();
    const Clock::time_point begin = Clock::now();
    for (Worker& worker : workers_) start(worker);
    while (watch()) {
    }
    print_summary(std::chrono::duration<double>(Clock::now() - begin).count());
    return seeds_with_findings_.empty() ? 0 : 1;
  }

 private:
  void start(Worker& worker) {
    constexpr std::size_t batch = 20;
    while (!waiting_.empty() && worker.seeds.size() < batch) {
      worker.seeds.push_back(waiting_.front());
      waiting_.pop_front();
    }
    if (worker.seeds.empty()) return;
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    std::fflush(nullptr);
    worker.process = fork();
    if (worker.process == 0) {
      close(ends[0]);
      check_batch(worker.seeds, arguments_, ends[1]);
      _exit(0);
    }
    close(ends[1]);
    worker.pipe = ends[0];
    worker.begin = Clock::now();
  }

  // What does not even use the processor is given up much later. False when all is done.
  bool watch() {
    std::vector<pollfd> polls;
    std::vector<Worker*> polled;
    for (Worker& worker : workers_)
      if (worker.process > 0) {
        polls.push_back({worker.pipe, POLLIN, 0});
        polled.push_back(&worker);
      }
    if (polls.empty()) return false;
    poll(polls.data(), polls.size(), 500);
    for (std::size_t i = 0; i < polls.size(); ++i) {
      Worker& worker = *polled[i];
      if (polls[i].revents != 0) read_from(worker);
      if (worker.process > 0 &&
          std::chrono::duration<double>(Clock::now() - worker.begin).count() > 30 * arguments_.timeout) {
        kill(worker.process, SIGKILL);
        add({"hang", fmt::format("nothing heard of it for {} s", 30 * arguments_.timeout)},
            worker.seeds.front());
        write_seed(worker.seeds.front());
        worker.seeds.pop_front();
        end(worker);
      }
    }
    return true;
  }

  void read_from(Worker& worker) {
    char buffer[65536];
    const ssize_t count = read(worker.pipe, buffer, sizeof buffer);
    if (count > 0) {
      worker.text.append(buffer, static_cast<std::size_t>(count));
      std::size_t line_end;
      while ((line_end = worker.text.find('\n')) != std::string::npos) {
        take_line(worker, worker.text.substr(0, line_end));
        worker.text.erase(0, line_end + 1);
      }
      return;
    }
    end(worker);
  }

  void take_line(Worker& worker, const std::string& line) {
    std::istringstream stream(line);
    std::string word, seed, kind, text;
    std::getline(stream, word, '\t');
    std::getline(stream, seed, '\t');
    worker.begin = Clock::now();
    if (word == "found") {
      std::getline(stream, kind, '\t');
      std::getline(stream, text);
      add({kind, text}, std::stoull(seed));
    } else if (word == "end") {
      worker.seeds.pop_front();
      if (++done_ % 100 == 0)
        fmt::print(stderr, "{} of {}, {} with findings\n", done_, total_, seeds_with_findings_.size());
    }
  }

  // The process has ended, well or not.
  void end(Worker& worker) {
    int status = 0;
    waitpid(worker.process, &status, 0);
    close(worker.pipe);
    worker.process = -1;
    worker.text.clear();
    const bool crashed = (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) ||
                         (WIFEXITED(status) && WEXITSTATUS(status) != 0);
    if (crashed && !worker.seeds.empty()) {
      Finding finding{"crash", fmt::format("exit {}", WEXITSTATUS(status))};
      if (WIFSIGNALED(status)) finding.text = fmt::format("signal {}", WTERMSIG(status));
      if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        finding = {"hang", fmt::format("not done in {} s of processor time", arguments_.timeout)};
      add(finding, worker.seeds.front());
      write_seed(worker.seeds.front());
      worker.seeds.pop_front();
    }
    start(worker);
  }

  // The model of a seed that did not live to write it.
  void write_seed(std::uint64_t seed) const {
    write_file(std::filesystem::path(arguments_.out) / fmt::format("{}.yaml", seed),
               write_model(random_model(seed, arguments_.features())));
  }

  void add(const Finding& finding, std::uint64_t seed) {
    rows_ << fmt::format("{}\t{}\t{}\n", seed, finding.kind, finding.text) << std::flush;
    by_kind_[finding.kind].insert(seed);
    seeds_with_findings_.insert(seed);
  }

  void print_summary(double seconds) const {
    fmt::print("{} random mechanisms in {:.0f} s, {} with findings\n", total_, seconds,
               seeds_with_findings_.size());
    for (const auto& [kind, seeds] : by_kind_) {
      std::string some;
      for (const std::uint64_t seed : seeds)
        if (some.size() < 60) some += fmt::format(" {}", seed);
      fmt::print("  {:<13}{:>6}  {:5.2f} %   seeds{}{}\n", kind, seeds.size(),
                 100.0 * static_cast<double>(seeds.size()) / static_cast<double>(total_), some,
                 some.size() < 60 ? "" : " ...");
    }
    if (!by_kind_.empty()) fmt::print("models and findings.tsv are in {}\n", arguments_.out);
  }

  const Arguments& arguments_;
  std::ofstream rows_;
  std::vector<Worker> workers_;
  std::deque<std::uint64_t> waiting_;
  std::size_t total_ = 0, done_ = 0;
  std::map<std::string, std::set<std::uint64_t>> by_kind_;
  std::set<std::uint64_t> seeds_with_findings_;
};

// A model file, or a single seed, in this process: for a debugger, and to make a finding small.
int look_at(const Model& model, std::uint64_t seed, const Arguments& arguments, const std::string& name) {
  const PropertyOptions options = arguments.options(seed, model);
  const Model looked_at =
      arguments.shrink.empty() ? model : shrunk_to_finding(model, arguments.shrink, options);
  const std::vector<Finding> findings = check_properties(looked_at, options);
  for (const Finding& finding : findings) fmt::print("{}: {}\n", finding.kind, finding.text);
  if (findings.empty()) fmt::print("all properties hold\n");
  if (!arguments.shrink.empty()) {
    const std::filesystem::path path = std::filesystem::path(arguments.out) / name;
    write_found(path, looked_at, findings);
    fmt::print("wrote {}\n", path.string());
  }
  return findings.empty() ? 0 : 1;
}

int run(const Arguments& arguments) {
  std::filesystem::create_directories(arguments.out);
  if (!arguments.file.empty()) return look_at(read_model(arguments.file), 0, arguments, "small.yaml");
  const std::size_t colon = arguments.seeds.find(':');
  const std::uint64_t first = std::stoull(arguments.seeds);
  const std::uint64_t last =
      colon == std::string::npos ? first : std::stoull(arguments.seeds.substr(colon + 1));
  if (arguments.write_only) {
    for (std::uint64_t seed = first; seed <= last; ++seed)
      write_file(std::filesystem::path(arguments.out) / fmt::format("{}.yaml", seed),
                 write_model(random_model(seed, arguments.features())));
    return 0;
  }
  if (first == last)
    return look_at(model_of_seed(first, arguments.features()), first, arguments,
                   fmt::format("small-{}.yaml", first));
  return Supervisor(arguments).run(first, last);
}

}  // namespace
}  // namespace trammel

int main(int argc, char** argv) {
  trammel::Arguments arguments;
  CLI::App app(
      "Holds random mechanisms against each other: formulations, balances, the same model in other words");
  std::vector<std::string> features;
  for (const auto& [name, member] : trammel::random_feature_names()) features.push_back(name);
  app.add_option("--seeds", arguments.seeds, "first:last, or one seed, which runs in this process")
      ->capture_default_str();
  app.add_option("--jobs", arguments.jobs, "processes at a time")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--timeout", arguments.timeout, "seconds of the processor for all runs of a seed")
      ->capture_default_str();
  app.add_option("--out", arguments.out, "folder for models with findings")->capture_default_str();
  app.add_option("--without", arguments.without, "features to leave out")->check(CLI::IsMember(features));
  app.add_option("--methods", arguments.methods, "methods to compare");
  app.add_option("--rtol", arguments.rtol, "tolerance; a tenth of it is run too");
  app.add_option("--shrink", arguments.shrink,
                 "of one seed or file: the smallest model with a finding of this kind");
  app.add_option("--file", arguments.file, "a model file instead of seeds")->check(CLI::ExistingFile);
  app.add_flag("--write", arguments.write_only, "only write the models");
  CLI11_PARSE(app, argc, argv);
  try {
    return trammel::run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "random-mechanisms: " << error.what() << "\n";
    return 2;
  }
}

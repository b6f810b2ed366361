// Trammel beside other programs on the same mechanisms: Simbody, SUNDIALS used by hand, MuJoCo; those of them
// that were found. Work against precision, in one process on one machine.
//
//   peers [--problems LIST] [--four-bars LIST] [--repeats N] [--longest S]
//         [--json FILE] [--figures FOLDER] [--markdown FILE]
//
//   --problems LIST   of four-bars, andrews, double-pendulum, pendulum (default: all)
//   --four-bars LIST  values of N (default 1,2,3,4,5,6,7,8,9,10,40)
//   --repeats N       of every run; times are medians (default 5)
//   --longest S       a method's ladder ends with the first run that takes longer; runs longer than a tenth
//   of
//                     it are not repeated (default 20)
//   --json FILE       everything
//   --figures FOLDER  a plot of every problem
//   --markdown FILE   the times to given errors
//
// Methods take turns at each tolerance, so that a busy machine meets all alike. CPU time is of the process,
// and begins with given initial values: assembling or projecting them is part of it, building the system is
// not.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "report.h"

namespace {

using namespace peers;

struct Arguments {
  std::vector<std::string> problems = {"four-bars", "andrews", "double-pendulum", "pendulum"};
  std::vector<int> four_bars = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 40};
  int repeats = 5;
  double longest = 20;
  std::string json, figures, markdown;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// One run of every competitor at its i-th tolerance, in turn.
void take_turns(const Contest& contest, const Arguments& arguments, std::size_t i, int repeat,
                std::vector<Outcome>& outcomes) {
  for (std::size_t one = 0; one < outcomes.size(); ++one) {
    const Competitor& competitor = contest.competitors[one];
    std::vector<Row>& rows = outcomes[one].rows;
    if (repeat == 0) {
      const bool ended = !rows.empty() && rows.back().run.seconds > arguments.longest;
      if (i >= competitor.tolerances.size() || ended) continue;
      const double tolerance = competitor.tolerances[i];
      const Run run = competitor.run(tolerance);
      rows.push_back({tolerance, run, {run.seconds}});
      continue;
    }
    // a ladder that has ended has no row for this tolerance
    if (rows.size() <= i) continue;
    Row& row = rows[i];
    if (!row.run.failure.empty() || row.seconds.front() > arguments.longest / 10) continue;
    row.seconds.push_back(competitor.run(row.tolerance).seconds);
  }
}

Result hold(Contest contest, const Arguments& arguments) {
  Result result{std::move(contest), {}};
  std::size_t longest_ladder = 0;
  for (const Competitor& competitor : result.contest.competitors) {
    result.outcomes.push_back({competitor.program, competitor.method, competitor.by_hand, {}});
    longest_ladder = std::max(longest_ladder, competitor.tolerances.size());
  }
  for (std::size_t i = 0; i < longest_ladder; ++i)
    for (int repeat = 0; repeat < arguments.repeats; ++repeat)
      take_turns(result.contest, arguments, i, repeat, result.outcomes);
  for (Outcome& outcome : result.outcomes)
    for (Row& row : outcome.rows) row.run.seconds = median(row.seconds);
  return result;
}

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> result;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) result.push_back(word);
  return result;
}

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (i + 1 >= argc) throw std::runtime_error(word + ": unknown, or needs a value");
    const std::string value = argv[++i];
    if (word == "--problems") {
      arguments.problems = words_of(value);
    } else if (word == "--four-bars") {
      arguments.four_bars.clear();
      for (const std::string& one : words_of(value)) arguments.four_bars.push_back(std::stoi(one));
    } else if (word == "--repeats") {
      arguments.repeats = std::max(1, std::stoi(value));
    } else if (word == "--longest") {
      arguments.longest = std::stod(value);
    } else if (word == "--json") {
      arguments.json = value;
    } else if (word == "--figures") {
      arguments.figures = value;
    } else if (word == "--markdown") {
      arguments.markdown = value;
    } else {
      throw std::runtime_error("unknown argument " + word);
    }
  }
  return arguments;
}

std::vector<std::function<Contest()>> contests(const Arguments& arguments) {
  std::vector<std::function<Contest()>> result;
  for (const std::string& problem : arguments.problems) {
    if (problem == "four-bars")
      for (const int windows : arguments.four_bars)
        result.push_back([windows] { return n_four_bar(windows); });
    else if (problem == "andrews")
      result.push_back(andrews);
    else if (problem == "double-pendulum")
      result.push_back(double_pendulum);
    else if (problem == "pendulum")
      result.push_back(pendulum);
    else
      throw std::runtime_error("there is no problem " + problem);
  }
  return result;
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  if (!out.flush()) throw std::runtime_error("cannot write " + file);
}

void run(const Arguments& arguments) {
  const std::string day = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
  const std::string heading = fmt::format("{}, {}, medians of {} runs", day, machine(), arguments.repeats);
  std::cout << heading << "\n";
  nlohmann::ordered_json all = {{"date", day}, {"machine", machine()}, {"repeats", arguments.repeats}};
  std::string tables = "CPU time to a given error; " + heading +
                       ".\nRatio: the fastest method of Trammel (from a model, if this one is) over this "
                       "one, below 1 where Trammel is "
                       "faster.\n";
  for (const auto& make : contests(arguments)) {
    const Result result = hold(make(), arguments);
    std::cout << table(result) << std::flush;
    all["problems"].push_back(json(result));
    tables += markdown(result);
    if (arguments.figures.empty()) continue;
    std::filesystem::create_directories(arguments.figures);
    write(arguments.figures + "/" + result.contest.name + ".svg", figure(result));
  }
  if (!arguments.json.empty()) write(arguments.json, all.dump(2) + "\n");
  if (!arguments.markdown.empty()) write(arguments.markdown, tables);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(read_arguments(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}

#include "trammel/cli/checkpoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "trammel/result/unfinished_run.h"

namespace trammel {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds first_pause(1), pause(2);
// Writing takes at most this part of the time.
constexpr int seldom = 50;

constexpr const char *folder_name = "checkpoint", *state_name = "state", *samples_name = "samples",
                     *steps_name = "steps";

nlohmann::ordered_json json_of(const RowsWritten& rows) {
  return {{"rows", rows.rows}, {"width", rows.width}, {"checksum", rows.checksum}};
}

RowsWritten rows_of(const nlohmann::ordered_json& json) {
  return {json.at("rows").get<Index>(), json.at("width").get<Index>(),
          json.at("checksum").get<std::uint64_t>()};
}

// Why there is nothing to go on from in a folder without a checkpoint.
std::string why_none(const fs::path& results) {
  std::error_code error;
  if (!fs::is_directory(results, error)) return fmt::format("there is no folder '{}'", results.string());
  std::ifstream file(results / "summary.json", std::ios::binary);
  if (!file) return fmt::format("there are no results of a run in '{}'", results.string());
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  const std::string status =
      json.is_object() && json.contains("status") && json["status"].is_string() ? json["status"] : "";
  if (status == "finished")
    return fmt::format("the run in '{}' has come to its end: there is nothing to go on with",
                       results.string());
  return fmt::format(
      "there is no checkpoint in '{}': the run had not come far enough, was made without, or failed for a "
      "reason that would be the same again. Run it from the beginning",
      results.string());
}

}  // namespace

Checkpoints::Checkpoints(const fs::path& results, const Recording& recording, nlohmann::ordered_json facts)
    : folder_(results / folder_name),
      facts_(std::move(facts)),
      samples_(folder_ / samples_name, recording.samples),
      steps_(folder_ / steps_name, recording.steps),
      next_(Clock::now() + first_pause) {}

void Checkpoints::remove() {
  newest_.reset();
  written_ = false;
  std::error_code ignored;
  // the state first: without it the others are nothing
  for (const char* name : {state_name, samples_name, steps_name}) fs::remove(folder_ / name, ignored);
  // what a kill has left in the middle of a file
  std::vector<fs::path> partial;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
    if (entry.path().extension() == ".partial") partial.push_back(entry.path());
  for (const fs::path& path : partial) fs::remove(path, ignored);
  fs::remove(folder_, ignored);  // unless there is something else in it
}

Failure Checkpoints::go_on(const StoredCheckpoint& stored) {
  if (Failure failure = samples_.go_on(stored.samples)) return failure;
  written_ = true;
  t_ = stored.checkpoint.t;
  return steps_.go_on(stored.steps);
}

// A disk that is full now may have room later.
void Checkpoints::take(RunCheckpoint checkpoint) {
  newest_ = std::move(checkpoint);
  const Clock::time_point begin = Clock::now();
  if (begin < next_) return;
  static_cast<void>(write());
  const Clock::time_point end = Clock::now();
  next_ = end + std::max<Clock::duration>(pause, seldom * (end - begin));
}

bool Checkpoints::keep() {
  if (newest_) static_cast<void>(write());
  return written_;
}

Failure Checkpoints::write() {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return not_written(folder_, error.message());
  if (Failure failure = samples_.write_until(newest_->samples)) return failure;
  if (Failure failure = steps_.write_until(newest_->steps)) return failure;
  nlohmann::ordered_json facts = facts_;
  facts["t"] = newest_->t;
  facts["wall_seconds"] = newest_->wall_seconds;
  facts["samples"] = json_of(samples_.written());
  facts["steps"] = json_of(steps_.written());
  const RunSnapshot& run = newest_->simulation;
  const CheckpointState state{
      facts.dump(),
      {run.integrator.numbers(), run.motion.numbers(), run.progress.numbers(), newest_->records.numbers()}};
  if (Failure failure = write_checkpoint_state(folder_ / state_name, state)) return failure;
  t_ = newest_->t;
  newest_.reset();
  written_ = true;
  return {};
}

StoredCheckpoint read_checkpoint(const fs::path& results) {
  const fs::path folder = results / folder_name;
  std::error_code error;
  if (!fs::exists(folder / state_name, error)) throw std::invalid_argument(why_none(results));
  if (const auto unfinished = unfinished_run(results); unfinished && unfinished->running)
    throw std::invalid_argument(
        fmt::format("the run in '{}' is still going on, in another program", results.string()));
  const auto demand = [](const Failure& failure) {
    if (failure) throw std::invalid_argument(failure.message);
  };
  CheckpointState state;
  demand(read_checkpoint_state(folder / state_name, state));
  StoredCheckpoint stored;
  try {
    stored.facts = nlohmann::ordered_json::parse(state.facts);
    stored.samples = rows_of(stored.facts.at("samples"));
    stored.steps = rows_of(stored.facts.at("steps"));
    stored.checkpoint.t = stored.facts.at("t").get<double>();
    stored.checkpoint.wall_seconds = stored.facts.at("wall_seconds").get<double>();
    auto& numbers = state.numbers;
    stored.checkpoint.simulation = {Snapshot(std::move(numbers.at(0))), Snapshot(std::move(numbers.at(1))),
                                    Snapshot(std::move(numbers.at(2)))};
    stored.checkpoint.records = Snapshot(std::move(numbers.at(3)));
  } catch (const std::exception&) {
    throw std::invalid_argument(fmt::format("cannot go on from '{}': it does not hold what a checkpoint does",
                                            (folder / state_name).string()));
  }
  stored.checkpoint.samples = stored.samples.rows;
  stored.checkpoint.steps = stored.steps.rows;
  demand(read_rows(folder / samples_name, stored.samples, stored.rows.samples));
  demand(read_rows(folder / steps_name, stored.steps, stored.rows.steps));
  return stored;
}

}  // namespace trammel

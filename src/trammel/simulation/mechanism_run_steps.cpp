// A run of a model step by step: looked at, changed, taken back, with other parameters from here on.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "trammel/numerics/nearest_name.h"
#include "trammel/simulation/mechanism_run.h"
#include "trammel/simulation/simulation.h"

namespace trammel {

bool MechanismRun::start() { return begin(); }

bool MechanismRun::advance(double t) { return simulation_ && simulation_->advance(t); }

double MechanismRun::t() const { return simulation_ ? simulation_->t() : summary_.t; }

const Vector& MechanismRun::state() const {
  if (simulation_) return simulation_->state();
  return summary_.final_state.size() > 0 ? summary_.final_state : start_;
}

bool MechanismRun::set_state(const Vector& x) { return simulation_ && simulation_->set_state(x); }

bool MechanismRun::save(RunCheckpoint& checkpoint) {
  RunSnapshot snapshot;
  if (!simulation_ || !simulation_->save(snapshot)) return false;
  checkpoint = checkpoint_of(snapshot);
  return true;
}

bool MechanismRun::restore(const RunCheckpoint& checkpoint) {
  if (!simulation_ || recording_->samples.samples() < checkpoint.samples ||
      recording_->steps.samples() < checkpoint.steps)
    return false;
  std::vector<EventRecord> events;
  Carrier carried = Carrier::restoring(checkpoint.records);
  carry_records(carried, events);
  if (!carried.fits() || !carried.is_at_end() || !simulation_->restore(checkpoint.simulation)) return false;
  recording_->samples.cut_off(checkpoint.samples);
  recording_->steps.cut_off(checkpoint.steps);
  looker_.reset();
  return true;
}

MechanismRecorder& MechanismRun::looker() {
  if (looker_) return *looker_;
  looked_at_ = std::make_unique<Recording>();
  looker_ = std::make_unique<MechanismRecorder>(*equations_, *looked_at_);
  // it follows the motion from here on as the other does
  Snapshot followed;
  Carrier saving = Carrier::saving(followed);
  recorder_->carry(saving);
  Carrier restoring = Carrier::restoring(followed);
  looker_->carry(restoring);
  return *looker_;
}

void MechanismRun::read(std::span<const std::size_t> channels, std::span<double> values) {
  looker().read(t(), state(), channels, values);
}

void MechanismRun::record(double t, const Vector& x) {
  recorder_->follow(t, x);
  recorder_->append(t, x);
}

const Summary& MechanismRun::conclude(Summary summary) {
  summary_ = std::move(summary);
  summary_.notes.insert(summary_.notes.begin(), settings_.notes.begin(), settings_.notes.end());
  recorder_->judge(summary_);
  recording_->set_metadata("status", std::string(name(summary_.status)));
  recording_->set_metadata("message", summary_.message());
  return summary_;
}

void MechanismRun::add_events() {
  for (const RunEvent& event : request_.events) {
    Event added{.name = event.name,
                .function = {},
                .direction = event.direction,
                .action = event.action,
                .change = {}};
    const auto whole = [](const Point<double>& at) {
      Vector x(static_cast<Index>(at.p.size() + at.v.size() + at.r.size() + at.w.size() + at.s.size() +
                                  at.lambda.size() + at.mu.size()));
      Index i = 0;
      for (const std::span<const double> block : {at.p, at.v, at.r, at.w, at.s, at.lambda, at.mu})
        for (const double value : block) x[i++] = value;
      return x;
    };
    if (!event.channel.empty()) {
      const std::vector<Channel>& channels = recording_->channels();
      const Channel* found = recording_->find(event.channel);
      if (!found) {
        std::vector<std::string> names;
        for (const Channel& channel : channels) names.push_back(channel.name);
        const std::string near = nearest_name(event.channel, names);
        throw std::invalid_argument(
            fmt::format("event '{}': there is no channel '{}'{}", event.name, event.channel,
                        near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
      }
      const auto place = static_cast<std::size_t>(found - channels.data());
      added.function = [this, whole, place, level = event.level](const Point<double>& at) {
        double value = 0;
        looker().read(at.t, whole(at), std::span(&place, 1), std::span(&value, 1));
        return value - level;
      };
    } else if (event.function) {
      added.function = [whole, function = event.function, level = event.level](const Point<double>& at) {
        return function(at.t, whole(at)) - level;
      };
    } else {
      throw std::invalid_argument(fmt::format("event '{}' has neither a channel nor a function", event.name));
    }
    if (event.change)
      added.change = [change = event.change](double t, const Layout&, Vector& x) { change(t, x); };
    simulation_->add_event(std::move(added));
  }
}

bool MechanismRun::take_over(MechanismRun& before) {
  const Names &names = equations_->names(), &of_other = before.equations_->names();
  if (names.p != of_other.p || names.v != of_other.v || names.r != of_other.r ||
      names.lambda != of_other.lambda || names.mu != of_other.mu ||
      recording_->channels().size() != before.recording_->channels().size())
    throw std::invalid_argument(
        "these parameters change which bodies, joints or states there are; a run cannot go on with them");
  start_ = before.state();
  start_time_ = before.t();
  assembly_.reset();
  Snapshot followed;
  Carrier saving = Carrier::saving(followed);
  before.equations_->carry(saving);
  Carrier restoring = Carrier::restoring(followed);
  equations_->carry(restoring);
  Snapshot records;
  Carrier saving_records = Carrier::saving(records);
  before.recorder_->carry(saving_records);
  Carrier restoring_records = Carrier::restoring(records);
  recorder_->carry(restoring_records);

  RecordedRows rows;
  copy_rows(before.recording_->samples, 0, before.recording_->samples.samples(), rows.samples);
  copy_rows(before.recording_->steps, 0, before.recording_->steps.samples(), rows.steps);
  put_rows(rows, *recording_);
  std::erase_if(settings_.options.output_times, [this](double t) { return t <= start_time_; });
  // the sample at the beginning is there already
  records_ = false;
  const bool on = begin();
  records_ = true;
  simulation_->take_up(before.simulation_ ? before.simulation_->trajectory().steps : before.steps_,
                       before.simulation_ ? before.simulation_->trajectory().events : before.events_);
  return on;
}

}  // namespace trammel

#include "trammel/result/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "trammel/numerics/nearest_name.h"

namespace trammel {

Index ChannelTable::add_channel(Channel channel) {
  if (channel.name.empty()) throw std::invalid_argument("a channel has no name");
  if (channel.name == "t") throw std::invalid_argument("a channel cannot be named 't': that is time");
  if (channel.values.size() != times_.size()) {
    throw std::invalid_argument(fmt::format("channel '{}' has {} values for {} times", channel.name,
                                            channel.values.size(), times_.size()));
  }
  if (!index_.emplace(channel.name, channels_.size()).second)
    throw std::invalid_argument(fmt::format("two channels are named '{}'", channel.name));
  channels_.push_back(std::move(channel));
  return static_cast<Index>(channels_.size()) - 1;
}

void ChannelTable::append(double t, std::span<const double> row) {
  if (row.size() != channels_.size()) {
    throw std::invalid_argument(
        fmt::format("{} values at t = {} for {} channels", row.size(), t, channels_.size()));
  }
  times_.push_back(t);
  for (std::size_t i = 0; i < row.size(); ++i) channels_[i].values.push_back(row[i]);
}

void ChannelTable::cut_off(Index samples) {
  const auto kept = std::min(static_cast<std::size_t>(samples), times_.size());
  times_.resize(kept);
  for (Channel& channel : channels_) channel.values.resize(kept);
}

const Channel* ChannelTable::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &channels_[found->second];
}

void Recording::set_metadata(const std::string& key, std::string value) {
  if (key.empty()) throw std::invalid_argument("metadata without a key");
  if (key == "title" || key == "format_version")
    throw std::invalid_argument(fmt::format("'{}' cannot be a key of metadata", key));
  const auto found =
      std::find_if(metadata_.begin(), metadata_.end(), [&](const auto& entry) { return entry.first == key; });
  if (found != metadata_.end()) {
    found->second = std::move(value);
  } else {
    metadata_.emplace_back(key, std::move(value));
  }
}

const std::string* Recording::metadata(std::string_view key) const {
  const auto found =
      std::find_if(metadata_.begin(), metadata_.end(), [&](const auto& entry) { return entry.first == key; });
  return found == metadata_.end() ? nullptr : &found->second;
}

std::vector<std::string> Recording::groups() const {
  std::vector<std::string> names;
  for (const Channel& channel : channels()) {
    if (std::find(names.begin(), names.end(), channel.group) == names.end()) names.push_back(channel.group);
  }
  return names;
}

Failure Recording::select(const std::vector<std::string>& selection,
                          std::vector<const Channel*>& chosen) const {
  chosen.clear();
  std::set<const Channel*> seen;
  const auto choose = [&](const Channel& channel) {
    if (seen.insert(&channel).second) chosen.push_back(&channel);
  };

  if (selection.empty()) {
    for (const Channel& channel : channels()) choose(channel);
  }
  for (const std::string& wanted : selection) {
    bool found = false;
    for (const Channel& channel : channels()) {
      if (channel.name != wanted && channel.group != wanted) continue;
      choose(channel);
      found = true;
    }
    if (found) continue;

    std::vector<std::string> names = groups();
    for (const Channel& channel : channels()) names.push_back(channel.name);
    const std::string near = nearest_name(wanted, names);
    chosen.clear();
    return {Reason::invalid_options,
            fmt::format("there is no channel or group '{}'{}", wanted,
                        near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near))};
  }
  return {};
}

}  // namespace trammel

#include "trammel/result/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <unordered_set>

#include "trammel/numerics/nearest_name.h"

namespace trammel {

// They stay where they are until the program ends, for channels may outlive whatever else is static.
ChannelText::ChannelText(std::string_view text) {
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  static auto* const texts = new std::unordered_set<std::string, Hash, std::equal_to<>>();
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto found = texts->find(text);
  if (found == texts->end()) found = texts->emplace(text).first;
  text_ = &*found;
}

// Where the channel of that name is, or would be.
std::size_t ChannelTable::place_of(std::string_view name) const {
  std::size_t place = std::hash<std::string_view>()(name);
  for (;; ++place) {
    place &= places_.size() - 1;
    if (places_[place] == 0 || channels_[places_[place] - 1].name == name) return place;
  }
}

// `count`: a power of two.
void ChannelTable::make_places(std::size_t count) {
  places_.assign(count, 0);
  for (std::size_t i = 0; i < channels_.size(); ++i)
    places_[place_of(channels_[i].name)] = static_cast<std::uint32_t>(i + 1);
}

Index ChannelTable::add_channel(Channel channel) {
  if (channel.name.empty()) throw std::invalid_argument("a channel has no name");
  if (channel.name == "t") throw std::invalid_argument("a channel cannot be named 't': that is time");
  if (channel.values.size() != times_.size()) {
    throw std::invalid_argument(fmt::format("channel '{}' has {} values for {} times", channel.name,
                                            channel.values.size(), times_.size()));
  }
  // at most two thirds of the places are taken
  if (3 * (channels_.size() + 1) > 2 * places_.size())
    make_places(std::max<std::size_t>(16, 2 * places_.size()));
  const std::size_t place = place_of(channel.name);
  if (places_[place] != 0)
    throw std::invalid_argument(fmt::format("two channels are named '{}'", channel.name));
  channels_.push_back(std::move(channel));
  places_[place] = static_cast<std::uint32_t>(channels_.size());
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
  const std::uint32_t found = places_.empty() ? 0 : places_[place_of(name)];
  return found == 0 ? nullptr : &channels_[found - 1];
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

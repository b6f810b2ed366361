// What `trammel run` leaves behind: named channels over the output times, a second table over the accepted
// steps, and what is needed to know where they come from.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trammel/numerics/failure.h"
#include "trammel/numerics/linear_algebra.h"

namespace trammel {

// A text that many channels have, kept once for all of them as long as the program runs.
class ChannelText {
 public:
  ChannelText() : ChannelText(std::string_view()) {}
  ChannelText(std::string_view text);
  ChannelText(const std::string& text) : ChannelText(std::string_view(text)) {}
  ChannelText(const char* text) : ChannelText(std::string_view(text)) {}

  const std::string& text() const { return *text_; }
  operator const std::string&() const { return *text_; }
  operator std::string_view() const { return *text_; }
  bool empty() const { return text_->empty(); }
  friend bool operator==(const ChannelText& one, const ChannelText& other) {
    return one.text_ == other.text_;
  }
  friend bool operator==(const ChannelText& one, std::string_view other) { return *one.text_ == other; }
  friend bool operator==(const ChannelText& one, const std::string& other) { return *one.text_ == other; }
  friend bool operator==(const ChannelText& one, const char* other) { return *one.text_ == other; }
  friend std::ostream& operator<<(std::ostream& out, const ChannelText& text) { return out << text.text(); }

 private:
  const std::string* text_;
};

// One quantity over time.
struct Channel {
  std::string name;              // as a user writes it, "crank.position.x"
  ChannelText group = {};        // "positions", "reactions", ...: free text, for selecting and sorting
  ChannelText unit = {};         // "m", "rad/s"; empty for a pure number
  ChannelText description = {};  // a sentence for people
  std::vector<double> values = {};
};

// Channels that share their times. All have one value for each time.
class ChannelTable {
 public:
  ChannelTable() = default;
  explicit ChannelTable(std::vector<double> times) : times_(std::move(times)) {}

  // Room for so many channels: large recordings would take up to half as much again.
  void reserve(std::size_t channels) { channels_.reserve(channels); }

  // The index of the new channel. It brings one value for each time there is, so none before a run. Throws
  // std::invalid_argument if it does not, if it has no name, or if the name is taken; "t" is taken by time.
  Index add_channel(Channel channel);
  // One value for each channel, in their order; throws std::invalid_argument if there are more or less.
  void append(double t, std::span<const double> row);
  // Only the first so many times are kept.
  void cut_off(Index samples);

  Index samples() const { return static_cast<Index>(times_.size()); }
  const std::vector<double>& times() const { return times_; }
  const std::vector<Channel>& channels() const { return channels_; }

  // The channel of that name, null if there is none. The pointer holds until a channel is added.
  const Channel* find(std::string_view name) const;

 private:
  std::vector<double> times_;
  std::vector<Channel> channels_;
  // The channels by their names, a hash table with open addressing: a place is the number of a channel, from one on, or zero.
  std::size_t place_of(std::string_view name) const;
  void make_places(std::size_t count);
  std::vector<std::uint32_t> places_;
};

// The metadata "status" of a recording that is, or was, still being made.
inline constexpr const char* unfinished_status = "unfinished";

class Recording {
 public:
  using Metadata = std::vector<std::pair<std::string, std::string>>;

  std::string title;
  // Over the output times.
  ChannelTable samples;
  // Over the accepted steps, each at its end: size, violation of the constraints, ...
  ChannelTable steps;

  // What is known of the run: version, method, options, model file, values of parameters. The order is kept;
  // a key given again gets the new value. Throws std::invalid_argument if the key is empty, or is "title" or
  // "format_version", which files of recordings use themselves.
  void set_metadata(const std::string& key, std::string value);
  const Metadata& metadata() const { return metadata_; }
  // Null if there is none of that key.
  const std::string* metadata(std::string_view key) const;

  Index add_channel(Channel channel) { return samples.add_channel(std::move(channel)); }
  Index add_step_channel(Channel channel) { return steps.add_channel(std::move(channel)); }
  void append(double t, std::span<const double> row) { samples.append(t, row); }
  void append_step(double t, std::span<const double> row) { steps.append(t, row); }

  const std::vector<double>& times() const { return samples.times(); }
  const std::vector<Channel>& channels() const { return samples.channels(); }
  // A channel over the output times.
  const Channel* find(std::string_view name) const { return samples.find(name); }
  // The groups of these channels, in the order in which they appear.
  std::vector<std::string> groups() const;

  // The channels that were asked for, by their names or by those of groups: in the order of the selection,
  // each once; all if nothing is selected. A name that fits nothing is a failure that names the nearest.
  Failure select(const std::vector<std::string>& selection, std::vector<const Channel*>& chosen) const;

 private:
  Metadata metadata_;
};

}  // namespace trammel

template <>
struct fmt::formatter<trammel::ChannelText> : fmt::formatter<std::string_view> {
  auto format(const trammel::ChannelText& text, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(text.text(), context);
  }
};

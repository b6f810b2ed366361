#include "trammel/result/recorded_rows.h"

#include <span>

namespace trammel {

namespace {

std::size_t width(const ChannelTable& table) { return table.channels().size() + 1; }

bool fits(const std::vector<double>& rows, const ChannelTable& table) {
  return table.samples() == 0 && rows.size() % width(table) == 0;
}

void put(const std::vector<double>& rows, ChannelTable& table) {
  const std::span<const double> all(rows);
  for (std::size_t at = 0; at < rows.size(); at += width(table))
    table.append(rows[at], all.subspan(at + 1, width(table) - 1));
}

}  // namespace

void copy_rows(const ChannelTable& table, Index first, Index end, std::vector<double>& rows) {
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) {
    rows.push_back(table.times()[i]);
    for (const Channel& channel : table.channels()) rows.push_back(channel.values[i]);
  }
}

bool put_rows(const RecordedRows& rows, Recording& recording) {
  if (!fits(rows.samples, recording.samples) || !fits(rows.steps, recording.steps)) return false;
  put(rows.samples, recording.samples);
  put(rows.steps, recording.steps);
  return true;
}

}  // namespace trammel

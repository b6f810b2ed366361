// The rows of a recording's two tables as plain numbers, one after the other: what a run that goes on in
// another program is given of the one before it.
#pragma once

#include <vector>

#include "trammel/numerics/failure.h"
#include "trammel/result/recording.h"

namespace trammel {

// Each row a time and one value for each channel.
struct RecordedRows {
  std::vector<double> samples, steps;
};

// Rows from `first` on, up to but without `end`, behind those that are there.
void copy_rows(const ChannelTable& table, Index first, Index end, std::vector<double>& rows);

// Puts the rows into the tables of a recording that has its channels but no rows. False, and the recording as
// it was, if they are not rows of such tables.
bool put_rows(const RecordedRows& rows, Recording& recording);

}  // namespace trammel

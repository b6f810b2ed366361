// Recordings as comma separated values, in the conventions of result/csv.h: the first line holds "t" and the
// names of the channels, every further line is a time. Title, metadata, units and descriptions have no place
// in such a file.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "trammel/numerics/failure.h"
#include "trammel/result/recording.h"

namespace trammel {

// One line for each output time. The selection holds names of channels and groups, see Recording::select; if
// one is unknown nothing is written.
Failure write_csv(std::ostream& out, const Recording& recording,
                  const std::vector<std::string>& selection = {});

// One line for each accepted step.
Failure write_steps_csv(std::ostream& out, const Recording& recording);

// The same as files, which are replaced as a whole.
Failure write_csv(const std::filesystem::path& path, const Recording& recording,
                  const std::vector<std::string>& selection = {});
Failure write_steps_csv(const std::filesystem::path& path, const Recording& recording);

// Reads what write_csv wrote into recording.samples, or what write_steps_csv wrote into recording.steps; the
// rest of the recording stays, and all of it if there is a failure, which names the line. Lines may also end
// with "\r\n", numbers may have blanks around them, and empty lines count for nothing.
Failure read_csv(std::istream& in, Recording& recording);
Failure read_steps_csv(std::istream& in, Recording& recording);

}  // namespace trammel

// Files that a run leaves behind.
#pragma once

#include <string>

namespace peers {

// Both throw std::runtime_error if it cannot be written.
void write_file(const std::string& file, const std::string& text);
// In place of what stands between the lines "<!-- NAME begins -->" and "<!-- NAME ends -->", if the file has
// them; otherwise as a file of its own.
void write_table(const std::string& file, const std::string& name, const std::string& text);

}  // namespace peers

// Text files from outside: read whole, and checked to be text.
#pragma once

#include <string>

#include "trammel/mechanism/place.h"

namespace trammel {

// Throws ModelError if the file is not there, is no file, or is larger than `largest`. `named_at` is where
// the user named it, if he did so in a file.
std::string read_text_file(const std::string& path, std::size_t largest, const SourcePlace& named_at = {});

// Throws ModelError where the text holds control characters or stops being UTF-8.
void check_is_text(const std::string& text, const std::string& file);

// A path given in a file is relative to that file.
std::string path_beside(const std::string& file, const std::string& path);

}  // namespace trammel

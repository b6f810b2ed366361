// Samples that no text can hold: writes a small results.h5 into a folder.
#include <cstdio>
#include <filesystem>

#include "fuzz/sample_recording.h"
#include "trammel/result/recording_hdf5.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write-samples FOLDER\n", stderr);
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  const trammel::Failure failure =
      trammel::write_hdf5(std::filesystem::path(argv[1]) / "results.h5", trammel::sample_recording());
  if (!failure) return 0;
  std::fprintf(stderr, "%s\n", failure.message.c_str());
  return 1;
}

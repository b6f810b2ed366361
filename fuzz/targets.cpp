#include "fuzz/targets.h"

namespace trammel {

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<FuzzTarget> targets = {{"model_file", fuzz_model_file},
                                                  {"expression", fuzz_expression},
                                                  {"urdf", fuzz_urdf},
                                                  {"table", fuzz_table},
                                                  {"result_csv", fuzz_result_csv},
                                                  {"result_hdf5", fuzz_result_hdf5},
                                                  {"http_request", fuzz_http_request}};
  return targets;
}

}  // namespace trammel

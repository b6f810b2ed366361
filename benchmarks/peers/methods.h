// The methods of Trammel that take part, for each contest: the one place to add a method to the comparison.
// Names are those of `trammel run --method`; one that this version does not know is reported as failed.
#pragma once

#include <string>
#include <vector>

namespace peers::methods {

using Names = std::vector<std::string>;

// from a model of bodies and joints, in Cartesian coordinates unless others are named; `started`: without the time that
// assembly and preparation take, which SUNDIALS and MuJoCo are not asked for either
inline const Names four_bars = {"projected/dop853",        "projected/adams",      "projected/bdf",
                                "projected/dop853, joint", "projected-index1/ida", "psf/radau5",
                                "partitioned/radau5",      "partitioned/erk",      "partitioned/adams"};
inline const Names chain = {"projected/dop853",
                            "projected/dop853, joint",
                            "projected/dop853, joint, started",
                            "projected/adams, joint",
                            "psf/radau5",
                            "psf/radau5, joint",
                            "partitioned/radau5",
                            "partitioned/erk",
                            "partitioned/adams"};
inline const Names andrews_model = {"projected/dop853",   "projected/dop853, joint", "psf/radau5",
                                    "partitioned/radau5", "partitioned/erk",         "partitioned/adams"};
inline const Names double_pendulum_model = {"partitioned/sdirk4", "partitioned/radau5", "psf/radau5"};
inline const Names scaling = {"projected/dop853", "psf/radau5", "partitioned/radau5", "partitioned/adams"};

// from equations by hand
inline const Names andrews = {
    "projected/dop853", "projected/bdf",      "projected/adams",   "projected-index1/ida", "psf/radau5",
    "ggl/radau5",       "partitioned/radau5", "partitioned/adams", "partitioned/bdf",      "csm/radau5",
    "ggl/ida"};
inline const Names double_pendulum = {
    "partitioned/sdirk4", "partitioned/radau5", "partitioned/bdf", "psf/radau5",
    "ode/sdirk4",         "ode/radau5",         "ode/bdf"};
inline const Names pendulum = {"projected/dop853",     "projected/adams",   "projected/bdf",
                               "projected-index1/ida", "psf/radau5",        "ggl/radau5",
                               "partitioned/radau5",   "partitioned/adams", "ggl/ida"};

}  // namespace peers::methods

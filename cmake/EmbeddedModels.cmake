# Models of examples/ that the library holds as text: built-in problems that are models have no second copy of their
# data. Made anew when the model changes.
set(model "${PROJECT_SOURCE_DIR}/examples/models/hmmwv.yaml")
set(source "${PROJECT_BINARY_DIR}/generated/trammel/published/hmmwv_model.cpp")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${model}")
file(READ "${model}" hmmwv_model)
configure_file("${PROJECT_SOURCE_DIR}/cmake/hmmwv_model.cpp.in" "${source}" @ONLY)
target_sources(trammel-published PRIVATE "${source}")

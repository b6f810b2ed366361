# Models of examples/ that the library holds as text: built-in problems that are models have no second copy of their
# data. Made anew when the model changes.
foreach(name hmmwv coach)
  set(model "${PROJECT_SOURCE_DIR}/examples/models/${name}.yaml")
  set(source "${PROJECT_BINARY_DIR}/generated/trammel/published/${name}_model.cpp")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${model}")
  file(READ "${model}" model_text)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/embedded_model.cpp.in" "${source}" @ONLY)
  target_sources(trammel-published PRIVATE "${source}")
endforeach()

# The Python package: the module trammel._core and the sources beside it, in PROJECT_BINARY_DIR/python, from where they can
# be imported. Offered if Python's headers and pybind11 are there; `./trammel python` sees to that. Nothing else builds it,
# but ./check.

# the system's, for which its packages are; -DPython3_EXECUTABLE=... takes another
if(NOT DEFINED Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.11 QUIET COMPONENTS Interpreter Development.Module NumPy)
set(PYBIND11_FINDPYTHON ON)
if(Python3_FOUND)
  find_package(pybind11 2.10 QUIET CONFIG)
endif()

if(NOT Python3_FOUND OR NOT pybind11_FOUND)
  message(STATUS "pybind11 or the headers of Python not found: the Python package is not built")
  return()
endif()

set(python_package "${PROJECT_BINARY_DIR}/python/trammel")
file(GLOB binding_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/src/*.cpp")
pybind11_add_module(trammel-python-core MODULE EXCLUDE_FROM_ALL NO_EXTRAS ${binding_sources})
set_target_properties(trammel-python-core PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY "${python_package}")
target_link_libraries(trammel-python-core PRIVATE trammel-further-commands)
trammel_compile_options(trammel-python-core)

# Links, so that what is edited is what is imported.
file(GLOB package_files CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python/trammel" "${PROJECT_SOURCE_DIR}/python/trammel/*.py*"
     "${PROJECT_SOURCE_DIR}/python/trammel/py.typed")
set(link_commands "")
foreach(file IN LISTS package_files)
  list(APPEND link_commands COMMAND "${CMAKE_COMMAND}" -E create_symlink
       "${PROJECT_SOURCE_DIR}/python/trammel/${file}" "${python_package}/${file}")
endforeach()
if(TRAMMEL_TESTS AND NOT TRAMMEL_SANITIZE)
  set(part_of_all ALL)
endif()
add_custom_target(trammel-python ${part_of_all} ${link_commands} DEPENDS trammel-python-core VERBATIM)

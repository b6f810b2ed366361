cmake_policy(PUSH)
cmake_policy(SET CMP0057 NEW)  # IN_LIST, in a script that has no version of its own
# Installs the public headers, and the headers that these include: `public_headers` below `source_directory`, into
# `destination`. Looked up when installing, so that a new include needs no new configuration.
set(waiting ${public_headers})
list(TRANSFORM waiting PREPEND "trammel/")
set(wanted "")
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST wanted OR NOT EXISTS "${source_directory}/${header}")
    continue()  # version.h is generated
  endif()
  list(APPEND wanted "${header}")
  file(STRINGS "${source_directory}/${header}" includes REGEX "^#include \"trammel/")
  list(TRANSFORM includes REPLACE "^#include \"([^\"]*)\".*" "\\1")
  list(APPEND waiting ${includes})
endwhile()
foreach(header IN LISTS wanted)
  cmake_path(GET header PARENT_PATH folder)
  file(INSTALL DESTINATION "${destination}/${folder}" TYPE FILE FILES "${source_directory}/${header}")
endforeach()
cmake_policy(POP)

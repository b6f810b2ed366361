# `cmake --install`: the library in its parts with the headers a user needs, the program, and the package that
# find_package(Trammel) finds.
include(CMakePackageConfigHelpers)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/Trammel")

# a file for each part: who does not ask for one needs nothing of what it needs
foreach(name IN LISTS trammel_components)
  install(TARGETS trammel-${name} EXPORT Trammel-${name} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
  install(EXPORT Trammel-${name} NAMESPACE Trammel:: DESTINATION "${package_directory}")
endforeach()
install(TARGETS trammel EXPORT Trammel-trammel)
install(EXPORT Trammel-trammel NAMESPACE Trammel:: DESTINATION "${package_directory}")

install(CODE "set(public_headers \"${trammel_public_headers}\")
              set(source_directory \"${PROJECT_SOURCE_DIR}/src\")
              set(destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
              include(\"${PROJECT_SOURCE_DIR}/cmake/InstallHeaders.cmake\")")
install(FILES "${PROJECT_BINARY_DIR}/generated/trammel/version.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/trammel")
install(TARGETS trammel-program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

configure_package_config_file(cmake/TrammelConfig.cmake.in "${PROJECT_BINARY_DIR}/TrammelConfig.cmake"
                              INSTALL_DESTINATION "${package_directory}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TrammelConfig.cmake" "${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake"
        cmake/FindKLU.cmake
        DESTINATION "${package_directory}")

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

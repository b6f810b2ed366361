# `cmake --install`: the library with its headers, the program, and the package that find_package(Trammel) finds.
include(CMakePackageConfigHelpers)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/Trammel")

install(TARGETS trammel EXPORT TrammelTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
if(TARGET trammel-program)
  install(TARGETS trammel-program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(EXPORT TrammelTargets NAMESPACE Trammel:: DESTINATION "${package_directory}")

configure_package_config_file(cmake/TrammelConfig.cmake.in "${PROJECT_BINARY_DIR}/TrammelConfig.cmake"
                              INSTALL_DESTINATION "${package_directory}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TrammelConfig.cmake" "${PROJECT_BINARY_DIR}/TrammelConfigVersion.cmake"
        cmake/FindKLU.cmake
        DESTINATION "${package_directory}")

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

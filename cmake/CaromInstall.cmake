# Installs the headers, the libraries and the package files, so that find_package(carom) gives carom::carom (f32) and
# carom::carom_f64. All of it is the component `carom`; the wheel takes the component `python` from the same build.

include(CMakePackageConfigHelpers)

set(CAROM_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/carom)

# carom_flags travels only because the export names it as a private dependency; users do not get its flags.
install(TARGETS carom carom_f64 carom_base carom_flags EXPORT caromTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT carom)
install(DIRECTORY include/carom DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT carom)
install(EXPORT caromTargets NAMESPACE carom:: DESTINATION ${CAROM_PACKAGE_DIR} COMPONENT carom)

configure_package_config_file(cmake/caromConfig.cmake.in ${CMAKE_BINARY_DIR}/caromConfig.cmake
  INSTALL_DESTINATION ${CAROM_PACKAGE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/caromConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/caromConfig.cmake ${CMAKE_BINARY_DIR}/caromConfigVersion.cmake
  DESTINATION ${CAROM_PACKAGE_DIR} COMPONENT carom)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT carom)

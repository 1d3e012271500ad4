# Writes OUTPUT, the source of version_text(), from VERSION and the commit of SOURCE, a folder. Leaves the file
# alone if it would be the same.
set(commit unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-cdup
                  OUTPUT_VARIABLE above RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  # A release that was unpacked inside of another project is not of that project's commit.
  if(NOT failed AND above STREQUAL "")
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --exclude=* --abbrev=12 --dirty=+
                    OUTPUT_VARIABLE described RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed)
      set(commit ${described})
    endif()
  endif()
endif()
set(text "#include \"tools/terminal/version.hpp\"\n
namespace hearsay {\n
std::string_view version_text() { return \"${VERSION} (commit ${commit})\"; }\n
}  // namespace hearsay\n")
set(before "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()

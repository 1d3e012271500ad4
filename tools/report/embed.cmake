# Writes OUTPUT, a source that holds the page of the report: its document, its style, and its scripts in the
# order of SCRIPTS, each a file in FOLDER.
function(constant name)
  set(pieces "")
  foreach(file ${ARGN})
    file(READ "${FOLDER}/${file}" text)
    string(APPEND pieces "\n    R\"hearsay_page(${text})hearsay_page\"")
  endforeach()
  set(source "${source}const std::string_view ${name} =${pieces};\n\n" PARENT_SCOPE)
endfunction()

set(source "#include \"tools/report/page_parts.hpp\"\n\nnamespace hearsay {\n\n")
constant(page_html report.html)
constant(page_style report.css)
constant(page_script ${SCRIPTS})
file(WRITE "${OUTPUT}" "${source}}  // namespace hearsay\n")

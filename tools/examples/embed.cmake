# Writes OUTPUT, a source that holds the texts of EXAMPLES, files in FOLDER with commas between them.
string(REPLACE "," ";" EXAMPLES "${EXAMPLES}")
set(texts "")
foreach(example IN LISTS EXAMPLES)
  file(READ "${FOLDER}/${example}" text)
  string(APPEND texts "    {\"${example}\", R\"hearsay_example(${text})hearsay_example\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"tools/new_files.hpp\"\n
namespace hearsay {\n
const std::map<std::string, std::string> example_texts = {\n${texts}};\n
}  // namespace hearsay\n")

# Writes OUTPUT, a source that defines TEXTS, which HEADER declares: the texts of FILES, files in FOLDER with
# commas between them, by their names.
string(REPLACE "," ";" FILES "${FILES}")
set(entries "")
foreach(name IN LISTS FILES)
  file(READ "${FOLDER}/${name}" text)
  string(APPEND entries "    {\"${name}\", R\"hearsay_file(${text})hearsay_file\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n
namespace hearsay {\n
const std::map<std::string, std::string> ${TEXTS} = {\n${entries}};\n
}  // namespace hearsay\n")

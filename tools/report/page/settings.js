// The settings of a run, read from its run file as the program wrote it: sections, and a key per line.

/// What a run is called and where it lies are no settings of what is compared.
const namesOfRun = new Set(["run.name", "run.output"]);

function settingsIn(lines) {
  const settings = new Map();
  let section = "";
  const times = new Map();
  for (const line of lines) {
    const heading = /^\[+([^\]]+)\]+\s*$/.exec(line);
    if (heading) {
      section = heading[1];
      if (line.startsWith("[[")) {  // one of several, such as the peers
        times.set(section, (times.get(section) ?? -1) + 1);
        section += ` ${times.get(section)}`;
      }
      continue;
    }
    const setting = /^([\w".-]+)\s*=\s*(.*)$/.exec(line);
    if (setting) settings.set(section ? `${section}.${setting[1]}` : setting[1], setting[2].replace(/^"(.*)"$/, "$1"));
  }
  for (const name of namesOfRun) settings.delete(name);
  return settings;
}

const settingsOfPoints = new WeakMap();

function settingsOf(data, point) {
  if (!settingsOfPoints.has(point.run_file)) settingsOfPoints.set(point.run_file, settingsIn(point.run_file.map((line) => data.lines[line])));
  return settingsOfPoints.get(point.run_file);
}

/// The keys whose values are not the same in all of these settings, in the order of the run file.
function keysThatDiffer(all) {
  const keys = new Set(all.flatMap((settings) => [...settings.keys()]));
  return [...keys].filter((key) => new Set(all.map((settings) => settings.get(key))).size > 1);
}

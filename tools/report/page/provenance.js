// Who made the records, when, where and how. What all runs of a group share is said once.

const mostValuesSaid = 8;

/// The values, each once; of many the first ones, and how many more there are.
function distinct(values) {
  const all = [...new Set(values.filter((value) => value !== "" && value !== undefined && value !== null))];
  return all.length <= mostValuesSaid ? all : [...all.slice(0, mostValuesSaid), `and ${numberText(all.length - mostValuesSaid, 9)} more`];
}

/// "2026-11-22 18:00:00 UTC to 18:00:20 UTC"; of runs that have not ended, when the first of them began.
function whenText(records) {
  const spoken = (time) => String(time).replace("T", " ").replace("Z", " UTC");
  const begun = records.map((record) => record.begun).sort()[0];
  if (records.some(({ ended }) => typeof ended !== "string")) return `begun at ${spoken(begun)}`;
  const ended = records.map((record) => record.ended).sort().at(-1);
  const [day, end] = [String(begun).slice(0, 10), spoken(ended)];
  return `${spoken(begun)} to ${end.startsWith(day) ? end.slice(11) : end}`;
}

const machineText = ({ host, processor, cores, memory_bytes }) =>
  [host, processor, counted(cores, "core"), isKnown(memory_bytes) && memory_bytes > 0 ? `${numberText(memory_bytes / 2 ** 30, 3)} GiB of memory` : ""].filter(Boolean).join(", ");

/// A line of it never ends within a word, such as --overwrite.
const commandLine = (text) => element("code", {}, ...text.split(" ").flatMap((word) => [element("span", {}, word), " "]).slice(0, -1));

function provenanceSection(group, name) {
  const facts = element("dl", { class: "provenance" });
  const whole = section(`${name}-provenance`, "Provenance", "", facts);
  group.follow(() => {
    const records = group.points.map((point) => point.provenance).filter((record) => record !== null && typeof record === "object");
    whole.hidden = records.length === 0;
    if (whole.hidden) return;
    const seeds = distinct(records.map(({ seed }) => seed));
    const rows = [
      ["when", [whenText(records)]],
      ["program", distinct(records.map(({ version }) => `hearsay ${version}`))],
      ["machine", distinct(records.map(machineText))],
      [seeds.length > 1 ? "seeds" : "seed", [seeds.join(", ")]],
      ["command", distinct(records.map(({ command }) => command)).map(commandLine)],
      ["warnings", distinct(records.flatMap(({ warnings }) => (Array.isArray(warnings) ? warnings : [])))],
    ].filter(([, said]) => said.length > 0);
    facts.replaceChildren(...rows.flatMap(([key, said]) => [element("dt", {}, key), element("dd", {}, ...said.map((text) => element("p", {}, text)))]));
  });
  return whole;
}

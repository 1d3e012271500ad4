// While a run or a sweep goes on, the page asks for its data about once a second, and says how far it is.

const pollingPause = 1000;

/// "120 of 1,000 iterations, in 12.3 s; about 1 min 30 s left"
function progressText({ of, done, in_total, elapsed, left, to_target }, ended) {
  const text = `${numberText(done, 9)} of ${numberText(in_total, 9)} ${of}, in ${secondsText(elapsed)}`;
  if (ended || done >= in_total) return text;
  if (!isKnown(left)) return `${text}; the time left is not known yet`;
  return isKnown(to_target) ? `${text}; target loss in about ${secondsText(to_target)} if it goes on falling so, all ${of} in ${secondsText(left)}`
    : `${text}; ${secondsText(left)} left`;
}

function showProgress({ progress, ended }) {
  const place = document.getElementById("progress");
  place.hidden = !progress;
  if (!progress) return;
  const share = progress.in_total > 0 ? Math.min(1, progress.done / progress.in_total) : 0;
  place.replaceChildren(
    element("div", { class: "track", role: "progressbar", "aria-label": progress.of, "aria-valuemin": "0", "aria-valuemax": String(progress.in_total), "aria-valuenow": String(progress.done) },
      element("span", { style: `width:${100 * share}%` })),
    element("p", {}, progressText(progress, ended)), ...(progress.now ? [element("p", {}, progress.now)] : []));
}

/// What of the data the page is built for: before its first point has been tried, a sweep is no group.
const frameOf = (data) => JSON.stringify(data.groups.map(({ kind, name }) => [kind, name]));

/// `build(data)` makes the page, and returns functions that show newer data in it.
async function follow(data, views, build) {
  const said = document.getElementById("live");
  said.hidden = false;
  said.textContent = "live";
  said.className = "going";
  let frame = frameOf(data);
  let known = data.version;
  showProgress(data);
  // It asks at once: whoever has asked is waited for at the end of the run.
  for (;; await new Promise((resume) => setTimeout(resume, pollingPause))) {
    try {
      const answer = await fetch("/data.json", { cache: "no-store" });
      data = await answer.json();
    } catch {
      said.textContent = "hearsay does not answer any more: the run has ended, or was stopped";
      said.className = "ended";
      return;
    }
    showProgress(data);
    if (frameOf(data) !== frame) views = build(data);
    else if (data.version !== known) for (const view of views) view(data);
    known = data.version;
    frame = frameOf(data);
    if (!data.ended) continue;
    said.textContent = `the ${data.progress?.of === "points" ? "sweep" : "run"} has ended`;
    said.className = "ended";
    return;
  }
}

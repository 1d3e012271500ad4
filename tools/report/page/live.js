// While a run goes on, the page asks for its data about once a second.

const pollingPause = 1000;

async function follow(views) {
  const said = document.getElementById("live");
  said.hidden = false;
  said.textContent = "live";
  said.className = "going";
  let known = null;
  // It asks at once: whoever has asked is waited for at the end of the run.
  for (;; await new Promise((resume) => setTimeout(resume, pollingPause))) {
    let data;
    try {
      const answer = await fetch("/data.json", { cache: "no-store" });
      data = await answer.json();
    } catch {
      said.textContent = "hearsay does not answer any more: the run has ended, or was stopped";
      said.className = "ended";
      return;
    }
    const state = JSON.stringify(data);
    if (state !== known) for (const view of views) view(data);
    known = state;
    if (!data.ended) continue;
    said.textContent = "the run has ended";
    said.className = "ended";
    return;
  }
}

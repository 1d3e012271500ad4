// The page as a whole.

function view(data, place) {
  const group = new Group(data, place);
  const name = `group-${place}`;
  const parts = [overview(group), winners(group, name), curves(group, name), comparison(group, name), training(group, name), peersSection(group, name), placeSection(group, name)];
  document.getElementById("content").append(element("article", { id: name }, ...parts.filter((part) => part !== null)));
  return (newer) => { group.take(newer, place); group.refresh(); };
}

function themeSwitch() {
  const button = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const remembered = () => { try { return localStorage.getItem("hearsay-theme"); } catch { return null; } };
  let chosen = remembered();
  const isDark = () => (chosen ? chosen === "dark" : system.matches);
  const apply = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", `${button.textContent} colors`);
    for (const plot of plots) plot.redraw();
  };
  button.addEventListener("click", () => {
    chosen = isDark() ? "light" : "dark";
    try { localStorage.setItem("hearsay-theme", chosen); } catch { /* it is forgotten, then */ }
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}

const data = JSON.parse(document.getElementById("data").textContent);
document.getElementById("title").textContent = data.title;
document.getElementById("content").replaceChildren();
themeSwitch();
const views = data.groups.map((_, place) => view(data, place));
if (data.live) follow(views);

// The page as a whole.

/// The article of a group. What depends on what is compared is made anew when that changes.
function view(data, place) {
  const group = new Group(data, place);
  const name = `group-${place}`;
  const [above, between, below] = [element("div"), element("div"), element("div")];
  document.getElementById("content").append(element("article", { id: name }, above, between, below));
  const shapeOf = () => JSON.stringify(group.dimensions.map(({ key, values }) => [key, values]));
  let shape;
  let compared;
  const build = () => {
    for (const plot of [...plots].filter(({ figure }) => below.contains(figure))) plot.forget();
    group.changed.clear();
    above.replaceChildren(overview(group));
    // Whoever has read the claims looks for what they are about.
    const figures = firstClaim(group) ? [curves, comparison, winners] : [winners, curves, comparison];
    below.replaceChildren(...[...figures, training, presenceSection, tuningSection, ratesSection, peersSection, influenceSection, placeSection, provenanceSection].map((part) => part(group, name)).filter((part) => part !== null));
    if (compared) group.follow(compared.refresh);
  };
  const begin = () => {
    shape = shapeOf();
    compared = compare(group, name, () => {
      group.arrange();
      build();
    });
    between.replaceChildren(...(compared ? [compared.whole] : []));
    build();
  };
  begin();
  return (newer) => {
    group.take(newer);
    if (shapeOf() === shape) group.refresh();
    else begin();
  };
}

/// More articles than this get a table of contents.
const articlesWithoutContents = 3;

/// "6 claims hold", "1 of 6 claims does not hold"; nothing for a group without claims.
function claimsText({ claims }) {
  if (!Array.isArray(claims) || claims.length === 0) return "";
  const fails = claims.filter(({ holds }) => holds === false).length;
  const open = claims.filter(({ holds }) => holds !== true && holds !== false).length;
  if (fails > 0) return `: ${fails} of ${counted(claims.length, "claim")} ${fails === 1 ? "does" : "do"} not hold`;
  return open > 0 ? `: ${open} of ${counted(claims.length, "claim")} not tried` : `: ${counted(claims.length, "claim")} ${claims.length === 1 ? "holds" : "hold"}`;
}

/// A button to what a group says that it did not reproduce, if it does.
function failedLink(group, place) {
  const list = group.not_reproduced;
  if (!Array.isArray(list) || list.length === 0) return [];
  return [element("button", { type: "button", class: "unreproduced", "aria-label": `${headingOf(group)}: ${list.length} not reproduced`,
    onclick: () => document.querySelector(`#group-${place} .failed`).scrollIntoView() }, `${list.length} not reproduced`)];
}

/// The articles by name, each with what became of its claims. Buttons, since the address keeps what is chosen.
function contents(data) {
  if (data.groups.length <= articlesWithoutContents) return [];
  return [element("nav", { class: "contents", "aria-label": "Contents" }, ...data.groups.map((group, place) => element("span", {},
    element("button", { type: "button", onclick: () => document.getElementById(`group-${place}`).scrollIntoView() }, headingOf(group) + claimsText(group)), ...failedLink(group, place))))];
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
themeSwitch();
const build = (newest) => {
  for (const plot of [...plots]) plot.forget();
  document.getElementById("content").replaceChildren(...contents(newest));
  return newest.groups.map((_, place) => view(newest, place));
};
const views = build(data);
if (data.live) follow(data, views, build);

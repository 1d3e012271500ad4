// Elements. What comes from the data is only ever text: nothing here parses HTML.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else if (value !== null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

let names = 0;
const freshName = (stem) => `${stem}-${++names}`;

/// A labelled <select>; `chosen(index)` hears of changes.
function choice(label, options, index, chosen) {
  const select = element("select", { id: freshName("choice"), onchange: () => chosen(select.selectedIndex) },
    ...options.map((text) => element("option", {}, text)));
  select.selectedIndex = index;
  return element("span", { class: "control" }, element("label", { for: select.id }, label), select);
}

/// One of a few, all of them in sight: radio buttons that look like one bar.
function segments(label, options, index, chosen) {
  const name = freshName("segments");
  return element("fieldset", { class: "segments" }, element("legend", {}, label),
    ...options.map((text, k) => element("label", {},
      element("input", { type: "radio", name, checked: k === index, onchange: () => chosen(k) }), element("span", {}, text))));
}

function toggle(label, on, changed) {
  const box = element("input", { type: "checkbox", checked: on, onchange: () => changed(box.checked) });
  return element("label", { class: "toggle" }, box, label);
}

/// A range with its value beside it; `changed(value)` hears of every move.
function slider(label, { min, max, step, value }, changed) {
  const said = element("output", {}, String(value));
  const range = element("input", { type: "range", id: freshName("slider"), min, max, step, value, oninput: () => {
    said.textContent = String(range.valueAsNumber);
    changed(range.valueAsNumber);
  } });
  return element("span", { class: "control" }, element("label", { for: range.id }, label), range, said);
}

/// `columns`: {text, number} each, `rows`: arrays of texts or elements, or {heading} above the rows that
/// follow. Wide tables scroll by themselves, also by keyboard.
function table(caption, columns, rows) {
  const cell = (content, k) => element(k === 0 ? "th" : "td", { class: columns[k].number ? "number" : null, scope: k === 0 ? "row" : null }, content);
  return element("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("caption", { class: "unseen" }, caption),
      element("thead", {}, element("tr", {}, ...columns.map((column) => element("th", { scope: "col", class: column.number ? "number" : null }, column.text)))),
      element("tbody", {}, ...rows.map((row) => (row.heading
        ? element("tr", { class: "heading" }, element("th", { colspan: columns.length, scope: "rowgroup" }, row.heading))
        : element("tr", {}, ...row.map(cell)))))));
}

/// Folded away; `fill()` makes what is in it when it is opened first.
function folded(summary, fill) {
  const inside = element("div");
  let stale = true;
  const details = element("details", { ontoggle: () => details.refresh() }, element("summary", {}, summary), inside);
  details.refresh = () => {
    if (!details.open || !stale) return;
    stale = false;
    inside.replaceChildren(fill());
  };
  details.outdate = () => { stale = true; details.refresh(); };
  return details;
}

/// Gives a canvas so many points, and clears it by that. Returns its pen, which counts in points, and the pixels
/// of one.
function clearedCanvas(canvas, width, height) {
  const density = devicePixelRatio || 1;
  Object.assign(canvas, { width: Math.round(width * density), height: Math.round(height * density) });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const pen = canvas.getContext("2d");
  pen.scale(density, density);
  return [pen, density];
}

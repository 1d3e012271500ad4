// What is chosen on this page stands in the fragment of its address: who opens the link sees the same.

const chosen = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
let writing = null;

/// A slider changes many times a second, and a browser refuses to be told of each.
function writeAddress() {
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(history.state, "", `#${chosen}`), 150);
}

// A link to another view of this page, followed on the page itself.
addEventListener("hashchange", () => { if (location.hash.includes("=")) location.reload(); });

/// One choice, a text. The address names it only if it is not `otherwise`.
class Kept {
  constructor(name, otherwise) { Object.assign(this, { name, otherwise }); }

  get text() { return chosen.get(this.name) ?? this.otherwise; }

  set text(text) {
    if (text === this.otherwise) chosen.delete(this.name);
    else chosen.set(this.name, text);
    writeAddress();
  }

  get on() { return this.text === "on"; }
  set on(on) { this.text = on ? "on" : "off"; }
}

/// One of `options`, which have a text each; the first if the address names none of them.
class KeptOption extends Kept {
  constructor(name, options, textOf, first = options[0]) {
    super(name, textOf(first));
    Object.assign(this, { options, textOf, first });
  }

  get option() { return this.options.find((option) => this.textOf(option) === this.text) ?? this.first; }
  set option(option) { this.text = this.textOf(option); }
  get index() { return this.options.indexOf(this.option); }
  get texts() { return this.options.map(this.textOf); }
}

/// A few names that are out are named as such: what comes later, on the page of a sweep that goes on, is in.
const fewOut = 8;

/// Several texts out of `all`. The address names those that are in, or those that are out if they are fewer or few.
class KeptSet {
  constructor(name, otherwise) { Object.assign(this, { name, otherwise }); }

  of(all) {
    if (chosen.has(`${this.name}.only`)) return new Set(chosen.getAll(`${this.name}.only`));
    if (!chosen.has(`${this.name}.but`)) return this.otherwise(all);
    const out = new Set(chosen.getAll(`${this.name}.but`));
    return new Set(all.filter((text) => !out.has(text)));
  }

  keep(inside, all) {
    for (const which of ["only", "but"]) chosen.delete(`${this.name}.${which}`);
    const usual = this.otherwise(all);
    const isUsual = usual.size === inside.size && [...usual].every((text) => inside.has(text));
    const outside = all.filter((text) => !inside.has(text));
    if (!isUsual) {
      const [which, texts] = inside.size > 0 && outside.length <= Math.max(inside.size, fewOut) ? ["but", outside] : ["only", [...inside]];
      // A set of none, or of all, is said by a name that nothing has.
      for (const text of texts.length ? texts : [""]) chosen.append(`${this.name}.${which}`, text);
    }
    writeAddress();
  }
}

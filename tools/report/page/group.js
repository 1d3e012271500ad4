// A group of points, the runs or a sweep, arranged for the eye: one dimension is the color, so its values are
// the series; the others are axes. All sections look at the same place, the values chosen on the axes, show
// the same values, and hide the same series.

/// More lines than this are not drawn before somebody asks for them.
const seriesDrawnAtFirst = 32;

// "topology.kind" is the topology, "network.bandwidth" the bandwidth.
const shortName = (key) => key.replace(/\.kind$/, "").split(".").pop().replaceAll("_", " ");

/// {key, label, values, numbers or null, of(point): the index of its value}: the variants or runs, then the
/// axes of a sweep, or the settings in which runs differ.
function dimensionsOf(data, { kind, series, axes, points }) {
  const own = { key: kind === "sweep" ? "variant" : "run", label: kind === "sweep" ? "variant" : "run", values: series, numbers: null, of: (point) => point.series };
  if (kind === "sweep") {
    const isAlone = (key) => axes.filter((axis) => shortName(axis.key) === shortName(key)).length === 1;
    return [own, ...axes.map((axis, k) => ({ ...axis, label: isAlone(axis.key) ? shortName(axis.key) : axis.key, of: (point) => point.at[k] }))];
  }
  const settings = points.map((point) => (point.run_file ? settingsOf(data, point) : new Map()));
  return [own, ...keysThatDiffer(settings).map((key) => {
    const texts = settings.map((of) => of.get(key) ?? unknown);
    const values = [...new Set(texts)];
    const indices = new Map(points.map((point, k) => [point, values.indexOf(texts[k])]));
    return { key, label: key, values, numbers: null, of: (point) => indices.get(point) };
  })];
}

/// Variants or runs if there are several; else a dimension of names rather than of numbers.
function usualColor(dimensions) {
  const several = dimensions.filter(({ values }) => values.length > 1);
  return several.find((one) => one === dimensions[0]) ?? several.find(({ numbers }) => numbers === null) ?? several[0] ?? dimensions[0];
}

class Group {
  constructor(data, place) {
    this.place = place;
    this.changed = new Set();
    this.chosenAt = new Map();
    this.take(data);
  }

  /// The data of this group, also later again, while a run goes on.
  take(data) {
    this.data = data;
    this.raw = data.groups[this.place];
    for (const key of ["name", "kind", "driver", "points_in_total"]) this[key] = this.raw[key];
    this.dimensions = dimensionsOf(data, this.raw);
    this.claims = Array.isArray(this.raw.claims) ? this.raw.claims.filter((claim) => claim !== null && typeof claim === "object") : [];
    this.isRepeated = isKnown(this.raw.repeats);
    this.quantiles = this.raw.quantiles ?? [];
    this.rawAt = new Map(this.raw.points.map((point) => [`${point.series}:${point.at}:${point.seed}`, point]));
    this.arrange();
  }

  kept(name, otherwise) { return new Kept(`${this.place}.${name}`, otherwise); }
  keptOption(name, options, textOf, first) { return new KeptOption(`${this.place}.${name}`, options, textOf, first); }
  keptShown(dimension) { return new KeptSet(`${this.place}.show.${dimension.key}`, (all) => new Set(all)); }
  keptDrawn() { return new KeptSet(`${this.place}.draw.${this.color.key}`, (all) => new Set(all.slice(0, seriesDrawnAtFirst))); }

  /// Puts the points into series and axes. What the filter does not show is not there.
  arrange() {
    const { dimensions, raw } = this;
    this.color = this.keptOption("color", dimensions, ({ key }) => key, usualColor(dimensions)).option;
    const shown = new Map(dimensions.map((dimension) => {
      const texts = this.keptShown(dimension).of(dimension.values);
      const values = dimension.values.map((_, k) => k).filter((k) => texts.has(dimension.values[k]));
      return [dimension, values.length ? values : dimension.values.map((_, k) => k)];
    }));
    this.series = this.color.values;
    this.seriesShown = shown.get(this.color);
    this.axes = raw.kind === "sweep" ? dimensions.filter((one) => one !== this.color && shown.get(one).length > 1).map((one) => ({ ...one,
      values: shown.get(one).map((k) => one.values[k]), numbers: one.numbers && shown.get(one).map((k) => one.numbers[k]), indices: shown.get(one) })) : [];
    this.labels = this.axes.map(({ label }) => label);
    this.points = raw.points.filter((point) => dimensions.every((one) => shown.get(one).includes(one.of(point))))
      .map((point) => ({ ...point, origin: point, series: this.color.of(point), at: this.axes.map(({ of, indices }) => indices.indexOf(of(point))) }));
    this.byPlace = new Map();
    for (const point of this.points) {
      const key = this.keyOf(point.series, point.at);
      this.byPlace.set(key, [...(this.byPlace.get(key) ?? []), point]);
    }
    this.baseline = this.color === dimensions[0] && this.seriesShown.includes(raw.baseline) ? raw.baseline : null;
    this.hasTarget = this.points.some((point) => isKnown(point.facts.target_loss));
    const drawn = this.keptDrawn().of(this.seriesShown.map((k) => this.series[k]));
    this.hidden = new Set(this.seriesShown.filter((k) => !drawn.has(this.series[k])));
    this.at = this.presentPlace();
  }

  keyOf(series, at) { return `${series}:${at.join(",")}`; }
  /// Several runs can be of one series: those with an equal setting, and those that differ in their seed only.
  pointsAt(series, at = this.at) { return this.byPlace.get(this.keyOf(series, at)) ?? []; }
  point(series, at = this.at) { return this.pointsAt(series, at)[0]; }
  pointsHere() { return this.indices().flatMap((series) => this.pointsAt(series)); }
  nameOf(point) { return this.raw.series[point.origin.series] + (this.isRepeated ? `, seed ${point.seed}` : ""); }
  /// The point at another place that has the same seed.
  twin(point, at) { return this.pointsAt(point.series, at).find(({ seed }) => seed === point.seed); }
  settingsOf(point) { return point.run_file ? settingsOf(this.data, point) : new Map(); }
  placeText(at = this.at) { return at.map((value, k) => `${this.labels[k]} ${this.axes[k].values[value]}`).join(", "); }
  indices() { return this.seriesShown; }
  shown() { return this.indices().filter((series) => !this.hidden.has(series)); }

  /// The point of a variant that has the same values on all axes as `point`, and the same seed.
  besides(variant, point) { return this.rawAt.get(`${variant}:${point.origin.at}:${point.seed}`); }
  baselineOf(point) { return isKnown(this.raw.baseline) ? this.besides(this.raw.baseline, point) : undefined; }

  /// Those of the values of an axis that a claim is about: the first claim that is not about all of them, so that
  /// the page opens where something is claimed. None if there is no such claim.
  claimedAt({ key, values }) {
    const claimed = this.claims.map(({ at }) => at?.[key]).filter(Array.isArray).map((texts) => values.filter((text) => texts.includes(text)));
    return claimed.find((texts) => texts.length > 0) ?? [];
  }

  /// Where the reader was; at first in the middle of every axis, where most is tried, or of what a claim is about.
  presentPlace() {
    const middle = (values) => Math.floor((values.length - 1) / 2);
    const usual = this.axes.map((axis) => {
      const { key, values } = axis;
      if (key === "variant") return Math.max(0, values.indexOf(this.raw.series[this.raw.baseline]));
      const claimed = this.claimedAt(axis);
      return claimed.length > 0 ? values.indexOf(claimed[middle(claimed)]) : middle(values);
    });
    const at = this.axes.map(({ key, values }, k) => {
      const found = values.indexOf(this.keptAt(key, values[usual[k]]).text);
      return found < 0 ? usual[k] : found;
    });
    return this.points.length === 0 || this.indices().some((series) => this.point(series, at)) ? at : this.points[0].at;
  }

  keptAt(key, otherwise) { return this.kept(`at.${key}`, otherwise); }

  /// Calls `refresh` whenever the place, the hidden series or the data are others.
  follow(refresh) { this.changed.add(refresh); refresh(); }
  refresh() { for (const refresh of this.changed) refresh(); }

  goTo(at) {
    this.at = at;
    for (const [k, { key, values }] of this.axes.entries()) this.keptAt(key, null).text = values[at[k]];
    this.refresh();
  }

  /// Draws these series, no others.
  drawOnly(series) {
    this.hidden = new Set(this.indices().filter((one) => !series.has(one)));
    this.keptDrawn().keep(new Set(this.shown().map((k) => this.series[k])), this.indices().map((k) => this.series[k]));
    this.refresh();
  }

  /// The places that differ from the present one on these axes only.
  placesAlong(...along) {
    let places = [this.at];
    for (const axis of along)
      places = places.flatMap((at) => this.axes[axis].values.map((_, value) => at.map((old, k) => (k === axis ? value : old))));
    return places;
  }

  learned(point) { return this.data.learned[point.learned] ?? {}; }

  /// True if the points differ in their network: then seconds tell more than iterations.
  sweepsNetwork() {
    if (this.kind === "sweep" && this.raw.axes.some(({ key, values }) => key.startsWith("network.") && values.length > 1)) return true;
    return keysThatDiffer(this.raw.points.filter(({ run_file }) => run_file).map((point) => this.settingsOf(point))).some((key) => key.startsWith("network."));
  }
}

/// Selects for the values on the axes, all but those in `without()`.
function placeChooser(group, without = () => []) {
  const bar = element("div", { class: "controls place" });
  group.follow(() => {
    if (bar.contains(document.activeElement)) {  // which select has the focus must not be lost
      for (const [k, select] of [...bar.querySelectorAll("select")].entries()) select.selectedIndex = group.at[bar.axes[k]];
      return;
    }
    bar.axes = group.axes.map((_, axis) => axis).filter((axis) => !without().includes(axis));
    bar.replaceChildren(...bar.axes.map((axis) => choice(group.labels[axis], group.axes[axis].values, group.at[axis],
      (value) => group.goTo(group.at.map((old, k) => (k === axis ? value : old))))));
  });
  return bar;
}

function section(name, title, note, ...content) {
  return element("section", { id: name, "aria-label": title }, element("h3", {}, title), ...(note ? [element("p", { class: "note" }, note)] : []), ...content);
}

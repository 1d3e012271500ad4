// What compressors pay for their error, beside what theory allows: bits a coordinate against the error that is left.

const bounds = [
  { key: "universal", name: "no compressor's worst error", nameAt: 0.75 },
  { key: "gaussian", name: "Gaussian, each peer alone", nameAt: 0.5 },
  { key: "ceo", name: "Gaussian, coded for what peers share", nameAt: 0.9 },
];

function rateLines(group, curves, points) {
  const most = 1.2 * Math.max(...points.flatMap(({ rate }) => [rate.bits, isKnown(rate.worst_error) ? rate.most_bits : 0]));
  const least = 0.3 * Math.min(...points.map(({ rate }) => rate.error));
  const ofBound = ({ key, name, nameAt }) => ({ name, nameAt, series: null, points: curves.error.map((error, k) => [curves[key][k], error]).filter(([bits, error]) => isKnown(bits) && bits <= most && error >= least) });
  const ofSeries = ({ series, rate }) => ({ name: group.series[series], series, points: [[rate.bits, rate.error], ...(isKnown(rate.worst_error) ? [[rate.most_bits, rate.worst_error]] : [])] });
  return [...points.map(ofSeries), ...bounds.map(ofBound)];
}

function ratesTable(group, points) {
  const bitsText = (bits) => numberText(bits, 3);
  const gain = ({ bits, ceo_bits: ceo }) => (isKnown(ceo) && ceo > 0 ? timesText(bits / ceo) : unknown);
  return table("Bits and error of the compressors", [{ text: group.color.label }, { text: "error", number: true }, { text: "bits", number: true }, { text: "Gaussian", number: true },
    { text: "if coded for what peers share", number: true }, { text: "which gains", number: true }, { text: "worst error", number: true }, { text: "most bits", number: true }],
  points.map(({ series, rate }) => [element("span", {}, sign(series), ` ${group.series[series]}`), numberText(rate.error, 3), bitsText(rate.bits), bitsText(rate.gaussian_bits),
    bitsText(rate.ceo_bits), gain(rate), numberText(rate.worst_error, 3), bitsText(rate.most_bits)]));
}

function ratesSection(group, name) {
  const rated = () => group.points.filter(({ rate }) => rate);
  if (rated().length === 0) return null;
  // Points on the same gradients stand in one figure.
  const places = [...new Set(rated().map(({ rate }) => rate.curves))];
  const namesOf = (place) => [...new Set(rated().filter(({ rate }) => rate.curves === place).map(({ series }) => group.series[series]))].join(", ");
  const kept = group.keptOption("rates.of", places.map(namesOf), String);
  const plot = new Plot(`${name}-rates-plot`, "Error against bits");
  const numbers = element("div", { class: "links" });
  const said = element("p", { class: "note" });
  const draw = () => {
    const place = places[kept.index];
    const points = rated().filter(({ rate, series }) => rate.curves === place && !group.hidden.has(series));
    plot.figure.hidden = numbers.hidden = points.length === 0;
    if (points.length === 0) return;
    const { peers, shared } = points[0].rate;
    said.textContent = `On a minibatch gradient of each of ${counted(peers, "peer")} at the initial model, which have ${shareText(shared)} of their squares in common: a compressor's bits a coordinate, and the relative squared error of the best multiple of its messages; a line leads to the worst error that it promises for any vector, with its most bits. No worst error lies below the first curve. The others are for Gaussian vectors with the variances of these gradients, in buckets of 512: one peer's (reverse water-filling), and the mean of all peers' if they code for what their gradients share (the quadratic Gaussian CEO problem). Gradients that are not Gaussian may do better.`;
    plot.draw({ x: { label: "bits a coordinate", text: (value) => numberText(value, 3) }, y: { label: "relative squared error", text: (value) => numberText(value, 3), log: true }, lines: rateLines(group, group.data.curves[place], points) });
    numbers.replaceChildren(ratesTable(group, points));
  };
  const which = element("div", { class: "controls" });
  if (places.length > 1) which.append(choice("Gradients of", kept.options, kept.index, (k) => { kept.option = kept.options[k]; draw(); }));
  group.follow(draw);
  return section(`${name}-rates`, "Bits and error", "", said, which, legend(group), plot.figure, numbers);
}

// Numbers as the other reports print them.

const NONE = "-";
const SAME = 1e-12; // values that differ by less are the same: sums in another order

function fixed(value, digits) {
  // Of two equally near numbers Python takes the even one, toFixed the larger; only 32nds lie between two.
  const scaled = Math.abs(value) * 1e4;
  if (digits === 4 && Number.isInteger(value * 32) && scaled % 1 === 0.5 && Math.floor(scaled) % 2 === 0) {
    return ((Math.sign(value) * Math.floor(scaled)) / 1e4).toFixed(4);
  }
  return value.toFixed(digits);
}

function number(value, isCount) {
  if (value === null) return NONE;
  const text = isCount ? (Number.isInteger(value) ? `${value}` : value.toFixed(1)) : fixed(value, 4);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function signed(value, isCount) {
  const text = number(value, isCount);
  if (value === null || isSame(value)) return text;
  if (Number(text) === 0) return `${value > 0 ? "+" : ""}${value.toExponential(1)}`;
  return value > 0 ? `+${text}` : text;
}

const isSame = (change, value = 0) => Math.abs(change) <= SAME * Math.max(1, Math.abs(value));
const whole = (many) => many.toLocaleString("en");
const counted = (many, thing, things = `${thing}s`) => `${whole(many)} ${many === 1 ? thing : things}`;
const queriesOf = (many) => counted(many, "query", "queries");
const moment = (time) => (time.endsWith("+00:00") ? `${time.slice(0, 10)} ${time.slice(11, 16)} UTC` : time);

function changed(value, isCount) {
  const kind = value === null || isSame(value) ? "same" : value < 0 ? "bad" : "good";
  return make("span", { class: kind }, signed(value, isCount));
}

// Numbers for an axis: round ones, about as many as asked for, and none of the values lies outside of them.
function ticks(low, high, about) {
  const rough = (high - low || 1) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((one) => one * power >= rough) ?? 10);
  const found = [];
  const last = Math.ceil(high / step - 1e-9);
  for (let at = Math.floor(low / step + 1e-9); at <= last; at += 1) {
    found.push(Number((at * step).toPrecision(12)));
  }
  return found;
}

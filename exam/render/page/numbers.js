// Numbers as people type them, exactly: digits and a power of ten. The same rules as exam/scoring/numbers.py.
const spelt = (unit) => unit.normalize("NFKC").replace(/[\s^]/g, "");

const readNumber = (() => {
  const MINUS = /[\u2212\u2013\u2012\ufe63\uff0d]/g;
  const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", PLAIN = "0123456789-+";
  const APART = " \\u00a0\\u2009\\u202f'\\u2019_";
  const MOST_CHARACTERS = 100, MOST_EXPONENT = 400, MOST_OF_A_UNIT = 20;
  const LETTER = "(?:(?![\\p{Nd}⁰⁴-₉¹²³¼-¾])[\\p{L}\\p{N}])";
  const WORD = `(?:${LETTER}+[²³]?|[%‰°×])`;
  const UNIT = new RegExp(`^${WORD}(?:\\s?[/·⋅*^]\\s?(?:${WORD}|-?[0-9]))*$`, "u");
  const pattern = (point, group) => {
    const grouped = `[1-9][0-9]{0,2}(?<mark>[${group}${APART}])[0-9]{3}(?:\\k<mark>[0-9]{3})*(?![0-9])`;
    const raised = "(?:(?:\\^|\\*\\*)[{(]?[-+]?[0-9]{1,4}[})]?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4})";
    const exponent = `[eE](?<e>[-+]?[0-9]{1,4})|\\s*[×x*·⋅]\\s*10(?<times>${raised})`;
    const mantissa = `(?<whole>${grouped}|[0-9]*)(?<fraction>[${point}][0-9]*)?`;
    return new RegExp(`^(?<sign>[-+]?)\\s?(?:10(?<power>${raised})|${mantissa}(?:${exponent})?)(?![0-9.,])`, "u");
  };
  const PATTERNS = { false: pattern(".", ","), true: pattern(",", ".") };

  const valueOf = ({ sign, e, times, power, whole, fraction }) => {
    const typed = (e || times || power || "0").replace(/./gu, (c) => PLAIN[RAISED.indexOf(c)] ?? c);
    const exponent = Number(typed.replace(/[^-0-9]/g, ""));
    if (Math.abs(exponent) > MOST_EXPONENT) return null;
    const before = power ? "1" : (whole ?? "").replace(/[^0-9]/g, ""), after = (fraction ?? "").slice(1);
    if (!before && !after) return null;
    return { digits: BigInt(before + after) * (sign === "-" ? -1n : 1n), exponent: exponent - after.length };
  };

  return (text, comma = false, unit = "") => {
    text = text.normalize("NFC").trim().replace(MINUS, "-");
    const found = text.length <= MOST_CHARACTERS ? PATTERNS[comma].exec(text) : null;
    const value = found && valueOf(found.groups);
    if (!value) return null;
    const rest = text.slice(found[0].length).trim();
    const looksLikeOne = rest.length <= MOST_OF_A_UNIT && UNIT.test(rest);
    if (rest && !looksLikeOne && !(unit && spelt(rest) === spelt(unit))) return null;
    return { ...value, unit: rest };
  };
})();

// Whether one exact number is not above another.
const notAbove = (one, other) => {
  const least = Math.min(one.exponent, other.exponent);
  const scaled = (number) => number.digits * 10n ** BigInt(number.exponent - least);
  return scaled(one) <= scaled(other);
};

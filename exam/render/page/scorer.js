// What a response is worth, as a fraction [over, under]: the same rules as exam/scoring/scorer.py.
const score = (() => {
  const NOTHING = [0, 1], EVERYTHING = [1, 1];
  const told = (credit, feedback = [], ideas = [], problem = "") => ({
    credit, feedback: [...new Set(feedback.filter(Boolean))], ideas: [...new Set(ideas.filter(Boolean))], problem,
  });
  const problem = (text) => told(NOTHING, [], [], text);
  const shareOf = (right, parts, policy) => (policy === "per_part" || right === parts ? [right, parts] : NOTHING);

  const selection = (variant, response) => {
    const many = variant.kind === "multiple";
    if (many !== Array.isArray(response)) return problem("Choose one option.");
    const chosen = many ? response : [response];
    const known = new Map(variant.options.map((option) => [option.id, option]));
    if (!chosen.every((id) => known.has(id))) return problem("Choose among the options that are there.");
    const right = variant.options.filter((option) => option.correct);
    const wrong = variant.options.filter((option) => !option.correct);
    const hits = right.filter((option) => chosen.includes(option.id)).length;
    const slips = wrong.filter((option) => chosen.includes(option.id));
    const missed = right.filter((option) => !chosen.includes(option.id));
    const shown = many ? [...slips, ...missed] : chosen.map((id) => known.get(id));
    const credit = worth(variant.policy, hits, slips.length, right.length, wrong.length);
    return told(credit, shown.map((option) => option.feedback), slips.map((option) => option.misconception));
  };

  const worth = (policy, hits, slips, right, wrong) => {
    if (hits === right && slips === 0) return EVERYTHING;
    if (policy === "all_or_nothing" || hits === 0 || (hits === right && slips === wrong)) return NOTHING;
    const penalty = (policy === "balanced" ? wrong : right) || 1;
    const over = hits * penalty - slips * right;
    return over > 0 ? [over, right * penalty] : NOTHING;
  };

  const within = (typed, low, high) => notAbove(readNumber(low), typed) && notAbove(typed, readNumber(high));
  const escaped = (text) => text.replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);

  const numeric = (variant, response) => {
    const key = variant.number;
    const typed = typeof response === "string" ? readNumber(response, key.decimal_comma, key.unit) : null;
    if (!typed || (typed.unit && !key.unit)) {
      const unit = key.unit ? `, in ${key.unit} (the unit may stand behind it)` : "";
      return problem(`A number is asked for${unit}, such as ${key.decimal_comma ? "3,14" : "3.14"} or 2e-3.`);
    }
    if (typed.unit && spelt(typed.unit) !== spelt(key.unit)) {
      const capitals = typed.unit.toLowerCase() === key.unit.toLowerCase() ? " Capital letters count in units." : "";
      return told(NOTHING, [`<p>The answer is asked for in ${key.unit}, not in ${escaped(typed.unit)}.${capitals}</p>`]);
    }
    if (within(typed, key.low, key.high)) return told(EVERYTHING);
    return mistaken(key.mistakes.find((each) => within(typed, each.low, each.high)));
  };

  const mistaken = (mistake) => (mistake ? told(NOTHING, [mistake.feedback], [mistake.misconception]) : told(NOTHING));

  const normal = (text, key) => {
    const closed = text.normalize("NFC").split(/\s+/u).filter(Boolean).join(" ");
    return key.case_sensitive ? closed : closed.toUpperCase().toLowerCase(); // ß is ss, as in Python
  };

  const text = (variant, response) => {
    const key = variant.text;
    if (typeof response !== "string" || !response.trim()) return problem("A word or a few are asked for.");
    const given = normal(response, key);
    if (key.accept.some((each) => normal(each, key) === given)) return told(EVERYTHING);
    return mistaken(key.mistakes.find((each) => normal(each.value, key) === given));
  };

  const matching = (variant, response) => {
    const wrong = variant.pairs.filter((pair) => response[pair.id] !== pair.option);
    const chosen = wrong.map((pair) => response[pair.id]);
    const shown = variant.options.filter((option) => chosen.includes(option.id));
    const right = variant.pairs.length - wrong.length;
    const ideas = shown.map((option) => option.misconception);
    return told(shareOf(right, variant.pairs.length, variant.policy), shown.map((option) => option.feedback), ideas);
  };

  const ordering = (variant, response) => {
    const misplaced = response.filter((id, place) => id !== variant.order[place]);
    const shown = misplaced.map((id) => variant.options.find((option) => option.id === id));
    const right = response.length - misplaced.length;
    return told(shareOf(right, response.length, variant.policy), shown.map((option) => option.feedback));
  };

  const kinds = { single: selection, true_false: selection, multiple: selection, numeric, text, matching, ordering };
  return (variant, response) => (response === null ? told(NOTHING) : kinds[variant.kind](variant, response));
})();

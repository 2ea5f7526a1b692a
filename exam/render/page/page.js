// The page: one form for each question, judged where it stands.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const total = data.slots.reduce((sum, variants) => sum + variants[0].points, 0);
  const results = new Map(); // question -> what its last answer showed
  let round = 0; // each begins with other numbers

  const isRight = ({ credit: [over, under] }) => over === under;
  const points = ({ result: { credit: [over, under] }, variant }) => (over / under) * variant.points;
  const number = (value) => String(Math.round(value * 100) / 100);

  // --- a question ---

  const isEmpty = (response) => !response || (typeof response === "object" && !Object.keys(response).length);

  // What is right, where no mark has said it.
  const rightAnswer = ({ number: key, text, kind, order, options }) => {
    const answer = (words) => make("p", {}, "The answer is ", make("strong", {}, words), ".");
    if (key) return [answer([key.shown, key.unit].join(" ").trim())];
    if (text) return [answer(text.accept[0])];
    if (kind !== "ordering") return [];
    const steps = order.map((id) => make("li", { html: options.find((option) => option.id === id).text }));
    return [make("p", {}, "The order is"), make("ol", {}, ...steps)];
  };

  const verdict = (variant, result) => {
    const worth = `${number(points({ result, variant }))} of ${variant.points} point${variant.points === 1 ? "" : "s"}`;
    const [sort, word] = isRight(result) ? ["right", "Right."]
      : result.credit[0] > 0 ? ["part", `Right in part: ${worth}.`] : ["wrong", "Not right."];
    return make("div", { class: `verdict ${sort}`, tabindex: "-1" },
      make("p", { class: "word" }, word),
      ...result.feedback.map((html) => make("div", { html })),
      ...(isRight(result) ? [] : rightAnswer(variant)),
      make("div", { html: variant.explanation }));
  };

  const question = (variants, place) => {
    let draw = round % variants.length;
    const card = make("fieldset", { id: `question-${place}`, "aria-describedby": `stem-${place}` });

    const show = () => {
      const variant = variants[draw];
      const answer = ANSWERS[variant.kind](variant, `q${place}`);
      const said = make("div", { role: "status", "aria-live": "polite" });
      const buttons = make("div", { class: "buttons" }, make("button", { type: "submit", class: "main" }, "Check"));
      const ask = (words) => said.replaceChildren(make("p", { class: "verdict problem" }, words));
      const judge = (event) => {
        event.preventDefault();
        const response = answer.value();
        if (isEmpty(response)) return ask("There is no answer yet.");
        const result = score(variant, response);
        if (result.problem) return ask(result.problem);
        results.set(place, { variant, result });
        for (const control of answer.element.querySelectorAll("input, select, button")) control.disabled = true;
        answer.marks(isRight(result));
        said.replaceChildren(verdict(variant, result));
        const words = variants.length > 1 ? "New numbers" : "Try again";
        buttons.replaceChildren(make("button", { type: "button", onclick: again }, words));
        said.firstChild.focus({ preventScroll: true }); // the button that had the focus is gone
        progress();
      };
      const about = make("small", {}, `· ${variant.minutes} min · difficulty ${variant.difficulty} of 3`);
      card.replaceChildren(
        make("legend", { tabindex: "-1" }, `Question ${place} `, about),
        make("div", { class: "stem", id: `stem-${place}`, html: variant.stem }),
        make("form", { novalidate: true, onsubmit: judge }, answer.element, said, buttons));
    };
    const again = () => {
      draw = (draw + 1) % variants.length;
      results.delete(place);
      show();
      card.querySelector("legend").focus();
      progress();
    };

    show();
    return card;
  };

  // --- the whole ---

  const progress = () => {
    const done = [...results.values()];
    const right = done.filter(({ result }) => isRight(result)).length;
    const worth = number(done.reduce((sum, each) => sum + points(each), 0));
    const bar = document.getElementById("progress");
    bar.textContent = `${done.length} of ${data.slots.length} answered, ${right} right: ${worth} of ${total} points`;
    bar.style.setProperty("--done", `${(100 * done.length) / data.slots.length}%`);
    const summary = document.getElementById("summary");
    summary.hidden = done.length < data.slots.length;
    if (!summary.hidden) document.getElementById("summary-body").replaceChildren(...review(done));
  };

  const review = (done) => {
    const missed = done.filter(({ result }) => !isRight(result));
    if (!missed.length) return [make("p", {}, "Nothing: every answer was right.")];
    const unique = (texts) => [...new Set(texts.filter(Boolean))];
    const list = (title, entries) => (entries.length
      ? [make("h3", {}, title), make("ul", {}, ...entries.map((text) => make("li", {}, text)))] : []);
    const ideas = unique(missed.flatMap(({ result }) => result.ideas));
    return [
      ...list("Ideas to think over", ideas.map((idea) => data.hints[idea] ?? idea.replaceAll("_", " "))),
      ...list("Exercises that practise them", unique(missed.map(({ variant }) => variant.exercise))),
      ...list("To read again", unique(missed.map(({ variant }) => variant.reading))),
    ];
  };

  const start = () => {
    results.clear();
    document.getElementById("questions").replaceChildren(...data.slots.map((variants, at) => question(variants, at + 1)));
    progress();
  };
  document.getElementById("restart").addEventListener("click", () => {
    round += 1;
    start();
    document.querySelector("legend").focus();
  });
  start();
})();

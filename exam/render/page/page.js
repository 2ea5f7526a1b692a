// The page: one form for each question, checked where it stands.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const questions = document.getElementById("questions");
  const results = new Map(); // question -> what its last answer showed

  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name === "html") element.innerHTML = value;
      else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  };

  // --- one way to answer for each kind: an element, and what it holds ---

  const choice = (variant, name) => {
    const many = variant.kind === "multiple";
    const rows = variant.options.map((option) => {
      const text = `${name}-${option.id}`;
      const input = make("input", { type: many ? "checkbox" : "radio", name, value: option.id, "aria-labelledby": text });
      const row = make("div", { class: "option", "data-id": option.id }, input, make("div", { id: text, html: option.text }));
      row.addEventListener("click", (event) => { if (event.target !== input && !input.disabled) input.click(); });
      return row;
    });
    const note = many ? [make("p", { class: "about" }, "Choose all that are right.")] : [];
    const chosen = () => [...element.querySelectorAll("input:checked")].map((input) => input.value);
    const element = make("div", {}, ...note, ...rows);
    return { element, value: () => (many ? chosen() : chosen()[0] ?? null), mark: (told) => markChoice(element, variant, told) };
  };

  const markChoice = (element, variant, { response }) => {
    const chosen = [].concat(response ?? []);
    for (const row of element.querySelectorAll(".option")) {
      const option = variant.options.find((each) => each.id === row.dataset.id);
      row.classList.toggle("key", option.correct);
      row.classList.toggle("slip", !option.correct && chosen.includes(option.id));
      const word = option.correct ? "right" : chosen.includes(option.id) ? "wrong" : "";
      if (word) row.lastElementChild.append(make("span", { class: "hidden" }, ` (${word})`));
    }
  };

  const typed = (variant, name) => {
    const unit = variant.number?.unit ?? "";
    const input = make("input", {
      type: "text", id: name, autocomplete: "off", spellcheck: "false", autocapitalize: "off",
      "aria-label": unit ? `Your answer in ${unit}` : "Your answer",
    });
    const element = make("div", { class: "row" }, input, ...(unit ? [make("span", {}, unit)] : []));
    return { element, value: () => input.value, mark: () => {} };
  };

  const matching = (variant, name) => {
    const menus = new Map();
    const rows = variant.pairs.map((pair) => {
      const text = `${name}-${pair.id}`;
      const menu = make("select", { "aria-labelledby": text }, make("option", { value: "" }, "choose …"));
      variant.options.forEach((option, place) => {
        const plain = make("div", { html: option.text }).textContent.trim();
        menu.append(make("option", { value: option.id }, `${String.fromCharCode(65 + place)}: ${plain}`));
      });
      menus.set(pair.id, menu);
      return make("div", { class: "row" }, make("div", { class: "text", id: text, html: pair.left }), menu);
    });
    const legend = variant.options.map((option) => make("li", { html: option.text }));
    const element = make("div", {}, ...rows, make("ol", { type: "A" }, ...legend));
    const value = () => Object.fromEntries([...menus].filter(([, menu]) => menu.value).map(([id, menu]) => [id, menu.value]));
    return { element, value, mark: () => {} };
  };

  const ordering = (variant) => {
    const list = make("ol", { class: "steps" });
    const said = make("p", { class: "hidden", "aria-live": "polite" });
    const steps = variant.options.map((option) => {
      const text = make("div", { class: "text", html: option.text });
      const name = text.textContent.trim();
      const item = make("li", { "data-id": option.id }, text);
      const move = (by) => (event) => {
        const place = [...list.children].indexOf(item);
        const other = list.children[place + by];
        if (!other) return;
        if (by < 0) other.before(item); else other.after(item);
        said.textContent = `${name}: place ${place + by + 1} of ${list.children.length}`;
        event.target.focus();
      };
      item.append(
        make("button", { type: "button", "aria-label": `Move up: ${name}`, onclick: move(-1) }, "↑"),
        make("button", { type: "button", "aria-label": `Move down: ${name}`, onclick: move(1) }, "↓"));
      return item;
    });
    list.append(...steps);
    const value = () => [...list.children].map((item) => item.dataset.id);
    return { element: make("div", {}, list, said), value, mark: () => {} };
  };

  const KINDS = { single: choice, true_false: choice, multiple: choice, numeric: typed, text: typed, matching, ordering };

  // --- a question ---

  const rightAnswer = (variant) => {
    const html = (id) => variant.options.find((option) => option.id === id).text;
    if (variant.number) return `<p>${variant.number.value} ${variant.number.unit}</p>`;
    if (variant.text) return make("p", {}, variant.text.accept[0]).outerHTML;
    if (variant.kind === "matching") return `<ul>${variant.pairs.map((p) => `<li>${p.left} ${html(p.option)}</li>`).join("")}</ul>`;
    if (variant.kind === "ordering") return `<ol>${variant.order.map((id) => `<li>${html(id)}</li>`).join("")}</ol>`;
    return "";
  };

  const isEmpty = (response) => response === null || response === "" || (Array.isArray(response) && !response.length)
    || (typeof response === "object" && !Array.isArray(response) && !Object.keys(response).length);

  const question = (variants, number) => {
    let draw = 0;
    const card = make("fieldset", { id: `question-${number}` });
    const show = (focus) => {
      const variant = variants[draw];
      const answer = KINDS[variant.kind](variant, `q${number}`);
      const verdict = make("div", { role: "status", "aria-live": "polite" });
      const check = make("button", { type: "submit", class: "main" }, "Check");
      const buttons = make("div", { class: "buttons" }, check);
      const form = make("form", { novalidate: true, onsubmit: (event) => { event.preventDefault(); judge(); } });
      const judge = () => {
        const response = answer.value();
        if (isEmpty(response)) return problem("There is no answer yet.");
        const result = score(variant, response);
        if (result.problem) return problem(result.problem);
        results.set(number, { variant, result });
        for (const control of answer.element.querySelectorAll("input, select, button")) control.disabled = true;
        check.remove();
        answer.mark({ response });
        tell(result);
        again();
        progress();
      };
      const problem = (text) => verdict.replaceChildren(make("div", { class: "verdict problem" }, make("strong", {}, text)));
      const tell = ({ credit: [over, under], feedback }) => {
        const right = over === under;
        const word = right ? "Right." : over > 0 ? `Partly right: ${over} of ${under}.` : "Not right.";
        const correct = right ? "" : rightAnswer(variant);
        verdict.replaceChildren(make("div", { class: `verdict ${right ? "right" : "wrong"}` },
          make("strong", {}, word),
          ...feedback.map((html) => make("div", { html })),
          ...(correct ? [make("div", { html: `<p>The answer is</p>${correct}` })] : []),
          make("div", { html: variant.explanation })));
      };
      const again = () => {
        const words = variants.length > 1 ? "New numbers" : "Try again";
        buttons.append(make("button", { type: "button", onclick: () => { draw = (draw + 1) % variants.length; results.delete(number); show(true); progress(); } }, words));
      };
      form.append(answer.element, buttons, verdict);
      const stars = "difficulty " + variant.difficulty + " of 3";
      card.replaceChildren(
        make("legend", { tabindex: "-1" }, `Question ${number} `, make("small", {}, `· ${variant.minutes} min · ${stars}`)),
        make("div", { class: "stem", html: variant.stem }), form);
      if (focus) card.querySelector("legend").focus();
    };
    show(false);
    return card;
  };

  // --- the whole ---

  const progress = () => {
    const right = [...results.values()].filter(({ result: { credit: [over, under] } }) => over === under).length;
    document.getElementById("progress").textContent =
      `${results.size} of ${data.slots.length} answered, ${right} right`;
    const summary = document.getElementById("summary");
    summary.hidden = results.size < data.slots.length;
    if (!summary.hidden) document.getElementById("summary-body").replaceChildren(...review());
  };

  const review = () => {
    const missed = [...results.values()].filter(({ result: { credit: [over, under] } }) => over !== under);
    if (!missed.length) return [make("p", {}, "Nothing: every answer was right.")];
    const ideas = [...new Set(missed.flatMap(({ result }) => result.ideas))];
    const exercises = [...new Set(missed.map(({ variant }) => variant.exercise).filter(Boolean))];
    const reading = [...new Set(missed.map(({ variant }) => variant.reading).filter(Boolean))];
    const list = (title, entries) => entries.length
      ? [make("h3", {}, title), make("ul", {}, ...entries.map((text) => make("li", {}, text)))] : [];
    return [
      ...list("Ideas to think over", ideas.map((idea) => data.hints[idea] ?? idea.replaceAll("_", " "))),
      ...list("Exercises that practise them", exercises), ...list("To read again", reading),
    ];
  };

  const start = () => {
    results.clear();
    questions.replaceChildren(...data.slots.map((variants, place) => question(variants, place + 1)));
    progress();
  };
  document.getElementById("restart").addEventListener("click", () => { start(); window.scrollTo(0, 0); });
  start();
})();

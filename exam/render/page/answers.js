// One way to answer for each kind of question: an element, the response that it holds, and marks once it is judged.
const ANSWERS = (() => {
  const choice = (variant, name) => {
    const many = variant.kind === "multiple";
    const rows = variant.options.map((option) => {
      const text = `${name}-${option.id}`;
      const type = many ? "checkbox" : "radio";
      const input = make("input", { type, name, value: option.id, "aria-labelledby": text });
      const row = make("div", { class: "option" }, input, make("div", { id: text, class: "text", html: option.text }));
      row.addEventListener("click", (event) => { if (event.target !== input && !input.disabled) input.click(); });
      return row;
    });
    const note = many ? [make("p", { class: "about" }, "Any number of them may be right.")] : [];
    const element = make("div", {}, ...note, ...rows);
    const chosen = () => [...element.querySelectorAll("input:checked")].map((input) => input.value);
    const marks = () => variant.options.forEach((option, place) => {
      const taken = chosen().includes(option.id);
      if (option.correct) mark(rows[place], true, many && !taken ? `${RIGHT}, missed` : RIGHT);
      else if (taken) mark(rows[place], false);
    });
    return { element, value: () => (many ? chosen() : chosen()[0] ?? null), marks };
  };

  const typed = (variant, name) => {
    const unit = variant.number?.unit ?? "";
    const input = make("input", {
      type: "text", id: name, autocomplete: "off", spellcheck: "false", autocapitalize: "off",
      "aria-label": unit ? `Your answer in ${unit}` : "Your answer",
    });
    const element = make("div", { class: "row" }, input, ...(unit ? [make("span", {}, unit)] : []));
    return { element, value: () => input.value, marks: (right) => mark(element, right) };
  };

  const matching = (variant, name) => {
    const letter = (id) => String.fromCharCode(65 + variant.options.findIndex((option) => option.id === id));
    const rows = variant.pairs.map((pair) => {
      const text = `${name}-${pair.id}`;
      const menu = make("select", { "aria-labelledby": text }, make("option", { value: "" }, "choose …"));
      for (const { id, plain } of variant.options) menu.append(make("option", { value: id }, `${letter(id)}: ${plain}`));
      return make("div", { class: "row" }, make("div", { class: "text", id: text, html: pair.left }), menu);
    });
    const legend = variant.options.map((option) => make("li", { html: option.text }));
    const element = make("div", {}, ...rows, make("ol", { class: "lettered" }, ...legend));
    const menus = () => rows.map((row) => row.querySelector("select").value);
    const value = () => Object.fromEntries(menus().map((id, place) => [variant.pairs[place].id, id]).filter(([, id]) => id));
    const marks = () => menus().forEach((id, place) => {
      const right = variant.pairs[place].option;
      mark(rows[place], id === right, id === right ? RIGHT : `✗ ${letter(right)} is right`);
    });
    return { element, value, marks };
  };

  const ordering = (variant) => {
    const list = make("ol", { class: "steps" });
    const said = make("p", { class: "hidden", "aria-live": "polite" });
    const value = () => [...list.children].map((item) => item.dataset.id);
    const step = ({ id, text, plain }) => {
      const item = make("li", { "data-id": id }, make("div", { class: "text", html: text }));
      const move = (by) => (event) => {
        const place = value().indexOf(id), other = list.children[place + by];
        if (!other) return void (said.textContent = `${plain} is ${by < 0 ? "first" : "last"} already`);
        if (by < 0) other.before(item); else other.after(item);
        said.textContent = `${plain}: place ${place + by + 1} of ${list.children.length}`;
        event.target.focus();
      };
      const button = (sign, words, by) =>
        make("button", { type: "button", "aria-label": `${words}: ${plain}`, onclick: move(by) }, sign);
      item.append(button("↑", "Move up", -1), button("↓", "Move down", 1));
      return item;
    };
    list.append(...variant.options.map(step));
    const marks = () => value().forEach((id, place) => {
      const right = variant.order.indexOf(id);
      mark(list.children[place], right === place, right === place ? RIGHT : `✗ place ${right + 1} is right`);
    });
    return { element: make("div", {}, list, said), value, marks };
  };

  return { single: choice, true_false: choice, multiple: choice, numeric: typed, text: typed, matching, ordering };
})();

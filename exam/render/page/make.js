// Elements, and marks on what was answered: a word each, so that colour alone says nothing.
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

const RIGHT = "✓ right", WRONG = "✗ wrong";

const mark = (row, right, words = right ? RIGHT : WRONG) => {
  row.classList.add(right ? "key" : "slip");
  row.append(make("span", { class: "mark" }, words));
};

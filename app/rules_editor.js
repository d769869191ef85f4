// Dresses Streamlit's text area of rules: line numbers, colours, marks at what is wrong, completion; sends at a pause.
// The area stays as Streamlit made it: without this script it works plainly, and screen readers see it alone.
(() => {
  const told = TOLD;
  const shared = (window.workbenchRules ??= { timer: null });
  shared.told = told;
  const PAUSE = 800;
  const TOKEN = /(\/\/.*|#.*)|("(?:[^"\\]|\\.)*")|([A-Za-z_\u00c0-\uffff][\w\u00c0-\uffff]*)(?=\s*\()|(-?\b\d+(?:\.\d+)?(?:e[-+]?\d+)?)|(<=>|=>|->|<-|>>|<<|[\^&|!~+])/g;
  const KINDS = ["comment", "text", "predicate", "number", "sign"];

  const find = () => document.querySelector('textarea[aria-label="Rules"]');
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const coloured = (text) => {
    let out = "", last = 0;
    for (const found of text.matchAll(TOKEN)) {
      const kind = KINDS[found.slice(1).findIndex((part) => part !== undefined)];
      out += escaped(text.slice(last, found.index)) + `<span class="wb-${kind}">${escaped(found[0])}</span>`;
      last = found.index + found[0].length;
    }
    return out + escaped(text.slice(last));
  };
  const line = (text, number) => {
    const mark = shared.told.text === find()?.value && shared.told.marks.find((one) => one.line === number);
    const shown = coloured(text) || "&#8203;";
    const under = mark
      ? `<span class="wb-under">${escaped(text.slice(0, mark.from))}<u>${escaped(text.slice(mark.from, mark.to)) || "&nbsp;"}</u></span>` : "";
    return `<div class="wb-line${mark ? " wb-" + mark.severity : ""}"><i>${number}</i>${under}${shown}</div>`;
  };
  const draw = () => {
    const area = find(), back = shared.back;
    if (!area || !back) return;
    back.firstChild.innerHTML = area.value.split("\n").map((text, at) => line(text, at + 1)).join("");
    back.style.width = area.clientWidth + "px";
    back.firstChild.style.transform = `translateY(${-area.scrollTop}px)`;
    const wrong = shared.told.text === area.value && shared.told.marks.some((one) => one.severity === "error");
    area.setAttribute("aria-invalid", wrong ? "true" : "false");
  };
  const send = (area) => area?.dispatchEvent(
    new KeyboardEvent("keydown", { key: "Enter", code: "Enter", keyCode: 13, ctrlKey: true, bubbles: true }));
  const sendLater = () => {
    clearTimeout(shared.timer);
    shared.timer = setTimeout(() => send(find()), PAUSE);
  };

  const word = (area) => /[\w\u00c0-\uffff]{2,}$/.exec(area.value.slice(0, area.selectionStart))?.[0] ?? "";
  const close = () => { shared.list.hidden = true; shared.list.innerHTML = ""; };
  const offer = (area) => {
    const begun = word(area).toLowerCase();
    const fits = begun ? shared.told.names.filter((name) => name.toLowerCase().startsWith(begun) && name.length > begun.length) : [];
    if (!fits.length) return close();
    shared.list.innerHTML = fits.slice(0, 8).map((name, at) => `<li${at ? "" : ' class="wb-picked"'}>${escaped(name)}</li>`).join("");
    const before = area.value.slice(0, area.selectionStart).split("\n");
    const row = shared.back.firstChild.children[before.length - 1];
    shared.list.style.top = `${row.offsetTop + row.offsetHeight - area.scrollTop + 4}px`;
    shared.list.style.left = `calc(3.4em + ${Math.min(before.at(-1).length, 60) - begun.length}ch)`;
    shared.list.hidden = false;
  };
  const accept = (area, name) => {
    const from = area.selectionStart - word(area).length, rest = area.value.slice(area.selectionStart);
    const setter = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
    setter.call(area, area.value.slice(0, from) + name + rest);
    area.selectionStart = area.selectionEnd = from + name.length;
    area.dispatchEvent(new Event("input", { bubbles: true }));
    close();
  };
  const keys = (event) => {
    const area = event.target, { list } = shared;
    if (list.hidden || event.ctrlKey) return;
    const picked = list.querySelector(".wb-picked");
    const move = { ArrowDown: picked.nextElementSibling, ArrowUp: picked.previousElementSibling }[event.key];
    if (move) { picked.classList.remove("wb-picked"); move.classList.add("wb-picked"); }
    else if (event.key === "Tab" || event.key === "Enter") accept(area, picked.textContent);
    else { if (event.key === "Escape") close(); return; }
    event.preventDefault();
    event.stopPropagation();
  };
  const dress = (area) => {
    const frame = area.parentElement;
    frame.dataset.wbFrame = "";  // no class: these are written anew where the colours change
    shared.back = document.createElement("div");
    shared.back.className = "wb-back";
    shared.back.setAttribute("aria-hidden", "true");
    shared.back.innerHTML = "<div></div>";
    shared.list = document.createElement("ul");
    shared.list.className = "wb-list";
    shared.list.setAttribute("aria-hidden", "true");
    shared.list.hidden = true;
    frame.append(shared.back, shared.list);
    area.spellcheck = false;
    area.addEventListener("scroll", draw);
    area.addEventListener("keydown", keys, true);
    area.addEventListener("blur", close);
    area.addEventListener("input", () => {
      draw();
      if (document.activeElement === area) offer(area);
      sendLater();
    });
    // Typed before anybody listened: the page was drawn anew a moment ago.
    if (area.value !== shared.told.text) sendLater();
    new ResizeObserver(draw).observe(area);
    shared.area = area;
  };
  const keep = () => {
    const area = find();
    if (area && (area !== shared.area || !area.parentElement.contains(shared.back))) dress(area);
    if (area && area.value !== shared.drawn) { shared.drawn = area.value; draw(); }
  };
  clearInterval(shared.watch);
  shared.watch = setInterval(keep, 250);
  keep();
  draw();
})();

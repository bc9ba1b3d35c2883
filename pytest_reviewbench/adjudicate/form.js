"use strict";
(() => {
  const key = "reviewbench-" + document.body.dataset.form;
  const articles = [...document.querySelectorAll("article")];
  const read = (a) => ({
    item: a.dataset.item,
    verdict: (a.querySelector("input[type=radio]:checked") || {}).value || "",
    bugs: [...a.querySelectorAll("input[type=checkbox]:checked")].map((b) => b.value).join(" "),
    why: a.querySelector("textarea").value,
  });
  const count = () => {
    let done = 0;
    for (const a of articles) {
      const filled = read(a).verdict !== "";
      a.classList.toggle("done", filled);
      done += filled;
    }
    document.getElementById("done").textContent = done;
  };
  const keep = () => {
    try { localStorage.setItem(key, JSON.stringify(articles.map(read))); } catch (e) { /* no storage here */ }
    count();
  };
  try {
    for (const row of JSON.parse(localStorage.getItem(key) || "[]")) {
      const a = articles.find((one) => one.dataset.item === row.item);
      if (!a) continue;
      for (const r of a.querySelectorAll("input[type=radio]")) r.checked = r.value === row.verdict;
      const bugs = String(row.bugs).split(" ");
      for (const b of a.querySelectorAll("input[type=checkbox]")) b.checked = bugs.includes(b.value);
      a.querySelector("textarea").value = row.why;
    }
  } catch (e) { /* nothing was kept */ }
  count();
  document.addEventListener("input", keep);
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "TEXTAREA" || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = articles.indexOf(document.activeElement && document.activeElement.closest("article"));
    if (event.key === "j" || event.key === "k") {
      const next = articles[Math.min(articles.length - 1, Math.max(0, here + (event.key === "j" ? 1 : -1)))];
      if (next) { next.focus(); next.scrollIntoView({ block: "start" }); }
    } else if (here >= 0 && "1234".includes(event.key)) {
      articles[here].querySelectorAll("input[type=radio]")[Number(event.key) - 1].checked = true;
      keep();
    } else return;
    event.preventDefault();
  });
  const cell = (text) => '"' + (/^[=+\-@\t\r']/.test(text) ? "'" + text : text).replace(/"/g, '""') + '"';
  document.getElementById("save").addEventListener("click", () => {
    const rows = articles.map(read).map((r) => [r.item, document.body.dataset.corpus, r.verdict, r.bugs, r.verdict ? r.why : ""]);
    const text = [["item", "corpus", "verdict", "bugs", "why"], ...rows].map((r) => r.map(cell).join(",")).join("\r\n");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff" + text + "\r\n"], { type: "text/csv" }));
    link.download = "labels.csv";
    link.click();
  });
})();

"use strict";
// Data are of strangers: they reach the document by textContent alone, never as markup.
(() => {
  const $ = id => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const BATCH = 200;

  /** An element with attributes and children; strings become text. */
  const h = (tag, attributes, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
    }
    for (const child of children.flat()) if (child !== null && child !== undefined && child !== "") made.append(child);
    return made;
  };
  const words = text => text.replaceAll("_", " ");
  const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  const money = value => value === null || value === undefined ? "not known"
    : value === 0 ? "$0" : "$" + value.toFixed(value < 1 ? Math.min(6, Math.max(2, 1 - Math.floor(Math.log10(value)))) : 2);

  // ---- colours -------------------------------------------------------------------------------------------
  const theme = $("theme");
  const kept = {
    get: () => { try { return localStorage.getItem("reviewbench-theme") || ""; } catch { return ""; } },
    set: value => { try { localStorage.setItem("reviewbench-theme", value); } catch { /* a file may have no storage */ } },
  };
  const paint = value => { if (value) document.documentElement.dataset.theme = value; else delete document.documentElement.dataset.theme; };
  theme.value = kept.get();
  paint(theme.value);
  theme.addEventListener("change", () => { paint(theme.value); kept.set(theme.value); });

  // ---- differences: one number at a time ---------------------------------------------------------------
  const number = $("number");
  if (number) {
    const forests = [...document.querySelectorAll(".forest")];
    const pick = () => forests.forEach(one => { one.hidden = one.dataset.number !== number.value; });
    number.closest("label").hidden = forests.length < 2;
    number.addEventListener("change", pick);
    pick();
  }

  // ---- what a review amounts to ------------------------------------------------------------------------
  const namedBy = (review, bugs) => {
    for (const finding of review.findings || []) {
      for (const verdict of finding.verdicts) {
        if (verdict.by === data.verifier && verdict.verdict === "gt_same") verdict.bugs.forEach(bug => bugs.add(bug));
      }
    }
    return bugs;
  };
  /** The cell of one review: its look, its short text, and the same for those who do not see it. */
  const cellOf = (one, review) => {
    if (review.tainted) return { look: "odd", text: "tainted", said: "tainted, not counted" };
    if (review.status !== "ok") return { look: "odd", text: words(review.status), said: words(review.status) };
    const findings = (review.findings || []).length + (review.left || 0);
    const matching = (review.findings || []).filter(finding => finding.hits.length).length;
    const beyond = findings - matching;
    const more = beyond ? ` +${beyond}` : "";
    const saidMore = beyond ? `, ${plural(beyond, "further finding")}` : "";
    const hit = new Set((review.findings || []).flatMap(finding => finding.hits)).size;
    const bugs = one.bugs ? one.bugs.length : 0;
    if (one.twin) {
      return hit ? { look: "alarm", text: "claimed" + more, said: "claims the bug that is not there" + saidMore }
        : { look: "fine", text: "not claimed" + more, said: "does not claim the bug" + saidMore };
    }
    if (!bugs) {
      return findings ? { look: "alarm", text: `${findings} found`, said: `clean, ${plural(findings, "finding")}` }
        : { look: "fine", text: "quiet", said: "clean, nothing reported" };
    }
    const named = namedBy(review, new Set()).size;
    const of = bugs > 1 ? ` ${hit}/${bugs}` : "";
    if (hit === bugs) return { look: "hit", text: "hit" + of + more, said: `found ${hit} of ${plural(bugs, "bug")}` + saidMore };
    if (hit) return { look: "part", text: `${hit}/${bugs}` + more, said: `found ${hit} of ${bugs} bugs` + saidMore };
    if (named) return { look: "part", text: "named" + more, said: `named by the verifier only` + saidMore };
    return { look: "miss", text: "miss" + more, said: `found none of ${plural(bugs, "bug")}` + saidMore };
  };
  const cases = data.cases.map((one, n) => {
    const cells = data.reviews[n].map(reps => reps.map(review => cellOf(one, review)));
    const every = cells.flat();
    const texts = data.reviews[n].flat().flatMap(review => (review.findings || []).map(finding => finding.text));
    const counted = every.filter(cell => cell.look !== "odd");
    return {
      ...one, n, cells,
      searched: [one.id, one.lang, one.class, one.published, ...(one.bugs || []).map(bug => bug.severity), ...texts].join("\n").toLowerCase(),
      kinds: {
        odd: every.some(cell => cell.look === "odd"),
        clean: !one.twin && one.bugs !== null && one.bugs.length === 0,
        alarm: !one.twin && every.some(cell => cell.look === "alarm"),
        twin: one.twin,
        none: !one.twin && !!(one.bugs || []).length && counted.length > 0 && counted.every(cell => cell.look === "miss"),
        all: !one.twin && !!(one.bugs || []).length && counted.length > 0 && counted.every(cell => cell.look === "hit"),
        differ: new Set(counted.map(cell => cell.look)).size > 1,
      },
    };
  });

  // ---- the grid -----------------------------------------------------------------------------------------
  const grid = $("grid"), more = $("more"), search = $("search"), lang = $("lang"), outcome = $("outcome");
  [...new Set(cases.map(one => one.lang).filter(Boolean))].sort().forEach(name => lang.append(h("option", { value: name }, name)));
  grid.append(
    h("caption", { class: "away" }, "Every case with every arm"),
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "case"), h("th", { scope: "col" }, "language, class"),
      data.arms.map(arm => h("th", { scope: "col" }, arm)))),
    h("tbody"),
  );
  const body = grid.tBodies[0];
  let found = cases, built = 0;
  const rowOf = one => h("tr", null,
    h("th", { scope: "row" }, one.id),
    h("td", { class: "kind" }, [one.lang, one.class].filter(Boolean).join(", ")),
    one.cells.map((cells, arm) => h("td", null, cells.length ? cells.map((cell, rep) =>
      h("button", {
        type: "button", class: `cell ${cell.look}`, tabindex: "-1", "data-case": one.n, "data-arm": arm, "data-rep": rep,
        "aria-label": `${one.id}, ${data.arms[arm]}${cells.length > 1 ? ` rep ${data.reviews[one.n][arm][rep].rep}` : ""}: ${cell.said}`,
      }, cell.text)) : "")));
  const build = upTo => {
    const rows = document.createDocumentFragment();
    for (; built < Math.min(upTo, found.length); built++) rows.append(rowOf(found[built]));
    body.append(rows);
    more.hidden = built >= found.length;
    more.textContent = `Show more cases (${found.length - built} left)`;
    if (!body.querySelector("button[tabindex='0']")) body.querySelector("button")?.setAttribute("tabindex", "0");
  };
  const filter = () => {
    const asked = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    found = cases.filter(one => asked.every(word => one.searched.includes(word))
      && (!lang.value || one.lang === lang.value) && (!outcome.value || one.kinds[outcome.value]));
    body.replaceChildren();
    built = 0;
    build(BATCH);
    if (!found.length) body.append(h("tr", null, h("td", { class: "none", colspan: data.arms.length + 2 }, "No case is like this.")));
    $("count").textContent = `${found.length} of ${plural(cases.length, "case")}`;
  };
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 80); });
  lang.addEventListener("change", filter);
  outcome.addEventListener("change", filter);
  $("filters").addEventListener("submit", event => event.preventDefault());
  $("filters").addEventListener("reset", () => setTimeout(filter));
  more.addEventListener("click", () => {
    const last = built;
    build(built + BATCH);
    body.rows[last]?.querySelector("button")?.focus();
  });
  addEventListener("beforeprint", () => build(found.length));

  const focusCell = cell => {
    body.querySelector("button[tabindex='0']")?.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
    cell.focus();
  };
  grid.addEventListener("keydown", event => {
    const cell = event.target.closest("button.cell");
    if (!cell) return;
    const inRow = [...cell.closest("tr").querySelectorAll("button")];
    const at = inRow.indexOf(cell);
    const vertical = step => {
      for (let row = cell.closest("tr"); (row = step > 0 ? row.nextElementSibling : row.previousElementSibling);) {
        const there = row.querySelectorAll("button");
        if (there.length) return there[Math.min(at, there.length - 1)];
      }
      return null;
    };
    const to = { ArrowRight: inRow[at + 1], ArrowLeft: inRow[at - 1], ArrowDown: vertical(1), ArrowUp: vertical(-1),
      Home: inRow[0], End: inRow.at(-1) }[event.key];
    if (to) { event.preventDefault(); focusCell(to); }
  });
  grid.addEventListener("click", event => {
    const cell = event.target.closest("button.cell");
    if (cell) { focusCell(cell); open(+cell.dataset.case, +cell.dataset.arm, +cell.dataset.rep); }
  });

  // ---- one case ------------------------------------------------------------------------------------------
  const dialog = $("case");
  let shown = null;

  const facts = pairs => h("dl", { class: "about" }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, String(value)))));
  const where = one => one.file ? one.file + (one.line ? `:${one.line}${one.end && one.end > one.line ? `–${one.end}` : ""}` : "") : "no place";
  const VERDICTS = { gt_same: "the known bug", real: "another real defect", not_a_bug: "not a bug", unverifiable: "cannot be verified" };

  const findingOf = (one, finding) => h("article", { class: "finding" + (finding.hits.length ? " match" : ""), "aria-label": "Finding" },
    h("div", { class: "meta" }, h("b", null, finding.severity || "finding"), ` · ${where(finding)}`,
      finding.tool || finding.rule ? ` · ${[finding.tool, finding.rule].filter(Boolean).join(" ")}` : "",
      finding.hits.length ? ` · matches ${finding.hits.join(", ")}${one.twin ? ", which is not there" : ""}` : " · matches no known bug",
      finding.fix === true ? " · on lines the fix changes" : "", finding.gone === true ? " · gone when fixed" : finding.gone === false ? " · still said when fixed" : ""),
    h("p", null, finding.text),
    finding.verdicts.map(said => h("div", { class: "verdict" },
      h("div", { class: "meta" }, h("b", null, VERDICTS[said.verdict] || said.verdict), said.bugs.length ? ` (${said.bugs.join(", ")})` : "", ` · ${said.by}`),
      said.reason === null ? h("p", { class: "meta" }, "Its reason is sealed.") : said.reason ? h("p", null, said.reason) : "")));

  const truthOf = (one, bug) => h("article", { class: "truth", "aria-label": "Known bug" },
    h("div", { class: "meta" }, h("b", null, one.twin ? `Known bug ${bug.id}, not in this change` : `Known bug ${bug.id}`), ` · ${where(bug)}`),
    h("p", null, bug.bug), bug.example ? h("p", { class: "meta" }, `Would count: ${bug.example}`) : "");

  /** The change, with everything that has a line in it below that line. Returns also what has none. */
  const patchOf = (one, findings, truth) => {
    const lines = new Map();
    const known = new Set(one.patch.map(file => file.file));
    const byName = name => one.patch.filter(file => file.file.split("/").at(-1) === name);
    const fileOf = item => item.file && known.has(item.file) ? item.file
      : item.file && !item.file.includes("/") && byName(item.file).length === 1 ? byName(item.file)[0].file : null;
    const items = [...truth.map(bug => ({ ...bug, made: truthOf(one, bug) })),
      ...findings.map(finding => ({ ...finding, made: findingOf(one, finding) }))];
    const drawn = one.patch.map(file => {
      const rows = h("tbody");
      file.hunks.forEach((hunk, n) => {
        if (n || hunk.new > 1) rows.append(h("tr", { class: "gap" }, h("td", { class: "no" }), h("td", { class: "no" }), h("td", { class: "line" }, "⋯")));
        let before = hunk.old, after = hunk.new;
        for (const line of hunk.lines) {
          const sign = line[0];
          const row = h("tr", sign === "+" ? { class: "add" } : sign === "-" ? { class: "del" } : null,
            h("td", { class: "no" }, sign === "+" || sign === "\\" ? "" : String(before)),
            h("td", { class: "no" }, sign === "-" || sign === "\\" ? "" : String(after)),
            h("td", { class: "line" }, line));
          if (sign === " " || sign === "+") { lines.set(`${file.file}\n${after}`, row); after++; }
          if (sign === " " || sign === "-") before++;
          rows.append(row);
        }
      });
      return h("section", { class: "patch", tabindex: "0", "aria-label": file.file }, h("h4", null, file.file),
        h("table", null, h("caption", { class: "away" }, `Change of ${file.file}`),
          h("thead", { class: "away" }, h("tr", null, h("th", { scope: "col" }, "old line"), h("th", { scope: "col" }, "new line"), h("th", { scope: "col" }, "code"))), rows));
    });
    const apart = [];
    for (const item of items) {
      const file = fileOf(item);
      let row = null;
      for (let at = item.line; file && at && !row && at <= Math.max(item.line, Math.min(item.end || 0, item.line + 5000)); at++) row = lines.get(`${file}\n${at}`) || null;
      if (!row) { apart.push(item.made); continue; }
      row.classList.add("at");
      let after = row;
      while (after.nextElementSibling?.classList.contains("here")) after = after.nextElementSibling;
      after.after(h("tr", { class: "here" }, h("td", { colspan: 3 }, item.made)));
    }
    return { drawn, apart };
  };

  const draw = () => {
    const one = cases[shown.n], review = data.reviews[shown.n][shown.arm]?.[shown.rep];
    const position = found.indexOf(one);
    $("case-title").replaceChildren(one.id, h("small", null, [one.lang, one.class, one.published,
      one.twin ? "fixed twin" : one.bugs === null ? "" : one.bugs.length ? plural(one.bugs.length, "known bug") + (one.bugs.some(bug => bug.severity) ? ` (${one.bugs.map(bug => bug.severity || "?").join(", ")})` : "") : "clean"].filter(Boolean).join(" · ")));
    $("previous").disabled = position <= 0;
    $("next").disabled = position < 0 || position + 1 >= found.length;
    $("case-arms").replaceChildren(...one.cells.flatMap((cells, arm) => cells.map((cell, rep) => {
      const name = data.arms[arm] + (cells.length > 1 ? ` rep ${data.reviews[one.n][arm][rep].rep}` : "");
      const made = h("button", { type: "button", "aria-pressed": String(arm === shown.arm && rep === shown.rep) }, name, h("span", { class: `cell ${cell.look}` }, cell.text));
      made.addEventListener("click", () => { open(one.n, arm, rep); $("case-arms").querySelector("[aria-pressed='true']").focus(); });
      return made;
    })));
    const inner = [];
    const findings = review?.findings || [];
    if (review) {
      inner.push(facts([["status", words(review.status) + (review.tainted ? ", tainted" : "")], ["cost", review.run ? money(review.cost) + (review.source === "none" ? "" : ` (${review.source})`) : null],
        ["seconds", review.seconds?.toFixed(1)], ["tokens", review.tokens?.toLocaleString("en")], ["turns", review.turns], ["attempts", review.attempts > 1 ? review.attempts : null],
        ["model", review.model], ["skill", review.skill === true ? "loaded" : review.skill === false ? "not loaded" : null], ["run", review.run]]));
      const trouble = [review.error ? (review.kind ? `${review.kind}: ` : "") + review.error : "", ...(review.taint || []).map(line => `looked beyond its task: ${line}`),
        ...(review.refused || []).map(line => `tried to look beyond its task: ${line}`), ...(review.warnings || []), ...(review.unjudged || []).map(line => `no verdicts of ${line}`),
        review.status !== "ok" && findings.length ? "What could be salvaged of its answer stands below and is not counted." : "",
        review.left ? `${review.left} further findings are in the run folder.` : ""].filter(Boolean);
      if (trouble.length) inner.push(h("div", { class: "trouble" }, trouble.map(line => h("p", null, line))));
    }
    const truth = one.truth || [];
    let apart = [], drawn = [];
    if (one.patch) ({ drawn, apart } = patchOf(one, findings, truth));
    else apart = [...truth.map(bug => truthOf(one, bug)), ...findings.map(finding => findingOf(one, finding))];
    if (!findings.length && review?.status === "ok") inner.push(h("p", { class: "note" }, "This review reported nothing."));
    if (!one.told && (one.bugs || []).length) inner.push(h("p", { class: "note" }, "A test case: what its bugs are, and the reasons of verdicts, are hidden here."));
    if (apart.length) inner.push(h("h3", null, one.patch ? "Not on a line of the change" : "Findings"), ...apart);
    inner.push(h("h3", null, "The change"));
    if (one.patch) inner.push(...drawn, one.left ? h("p", { class: "note" }, `${one.left} further lines are not drawn.`) : "");
    else inner.push(h("p", { class: "note" }, `It cannot be shown: ${one.why}`));
    if (review?.steps?.length) {
      inner.push(h("details", null, h("summary", null, review.steps[0][0] === "answer" && review.steps.length === 1 ? "The answer as it came" : "What the session said and did, in short"),
        h("dl", { class: "steps" }, review.steps.flatMap(([kind, text]) => [h("dt", null, words(kind)), h("dd", null, text)]))));
    }
    $("case-body").replaceChildren(...inner.filter(Boolean));
  };
  const open = (n, arm, rep) => {
    shown = { n, arm, rep };
    draw();
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    $("case-title").focus();
    mark(`#case/${cases[n].id}/${data.arms[arm]}/${data.reviews[n][arm]?.[rep]?.rep ?? 1}`);
  };
  const mark = hash => { try { history.replaceState(null, "", hash || location.pathname + location.search); } catch { /* a sandboxed frame */ } };
  const step = by => {
    const to = found[found.indexOf(cases[shown.n]) + by];
    if (!to) return;
    const arm = to.cells[shown.arm]?.length ? shown.arm : to.cells.findIndex(cells => cells.length);
    open(to.n, Math.max(0, arm), 0);
  };
  $("previous").addEventListener("click", () => step(-1));
  $("next").addEventListener("click", () => step(1));
  $("close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
  dialog.addEventListener("close", () => {
    mark("");
    const cell = body.querySelector(`button[data-case="${shown.n}"][data-arm="${shown.arm}"][data-rep="${shown.rep}"]`);
    if (cell) focusCell(cell);
  });
  const follow = () => {
    const [kind, id, arm, rep] = location.hash.slice(1).split("/");
    const n = kind === "case" ? cases.findIndex(one => one.id === id) : -1;
    if (n < 0) return;
    const a = Math.max(0, data.arms.indexOf(arm));
    open(n, a, Math.max(0, (data.reviews[n][a] || []).findIndex(review => review.rep === +rep)));
  };
  addEventListener("hashchange", follow);
  filter();
  follow();
  document.documentElement.dataset.ready = "yes";
})();

// What went wrong, with the bots' last words.

function faultList({ faults, untold, unread, faults_kept_back = [] }, canShow, show) {
  if (!faults.length && !faults_kept_back.length) return [h("p", { class: "good" }, "Nobody broke the contract.")];
  const list = h("div", { class: "faults" }, faults_kept_back.map(keptBack), faults.map((fault) => faultEntry(fault, canShow(fault), show)));
  const hints = [
    ...(untold ? [`${plural(untold, "rarer fault")} of other kinds are left out.`] : []),
    ...(unread ? [`${plural(unread, "later match", "later matches")} with faults are not told of here.`] : []),
  ];
  return [list, ...hints.map((hint) => h("p", { class: "hint" }, hint))];
}

// Of a deal that is still being played: what the bot wrote might help somebody.
function keptBack({ bot, kind, times }) {
  return h("p", {}, h("span", { class: "kind" }, kind), h("strong", {}, words(bot)), h("span", { class: "times" }, plural(times, "time")), h("span", { class: "hint" }, "More of it when its deal is over."));
}

function faultEntry(fault, isShown, show) {
  const where = fault.turn < 0 ? "before the game" : `at decision ${fault.turn}${fault.question ? `, its question ${fault.question},` : ""}`;
  const first = `${where} of block ${fault.block}, rotation ${fault.rotation}, seat ${fault.seat}`;
  return h(
    "details",
    { "data-key": JSON.stringify([fault.bot, fault.kind, fault.detail]) },
    h(
      "summary",
      {},
      h("span", { class: "kind" }, fault.kind),
      h("strong", {}, words(fault.bot)),
      h("span", { class: "times" }, plural(fault.times, "time")),
      h("span", { class: "detail" }, words(fault.detail)),
    ),
    h("p", { class: "hint" }, `First ${first}. `, isShown && h("button", { type: "button", on: { click: () => show(fault) } }, "Show it")),
    fault.stderr.length
      ? h("pre", { tabindex: 0, "aria-label": `stderr of ${fault.bot}` }, fault.stderr.join("\n"))
      : h("p", { class: "hint" }, "It wrote nothing to stderr."),
  );
}

// Where it was played, if that was on several machines.

function machinesTable(machines) {
  const head = [
    columnHead("Machine"),
    columnHead("Matches", { class: "number" }),
    columnHead("Void", { class: "number", title: "How often a match was void because the host was late" }),
    columnHead("Speed", { class: "number", title: "Decisions of a fixed search per second" }),
    columnHead("Timeouts", { class: "number" }),
    columnHead("Remark"),
  ];
  const rows = machines.map((line) =>
    h(
      "tr",
      {},
      rowHead(line.machine),
      [line.matches, line.voids, line.speed === null ? "–" : Math.round(line.speed), line.timeouts].map((figure) => cell(figure.toLocaleString("en"), { class: "number" })),
      cell(line.is_slow ? "bots time out here more often than chance allows" : "", { class: "remark" }),
    ),
  );
  return tableOfCards("Machines", head, rows);
}

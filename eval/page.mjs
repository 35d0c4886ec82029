const row = (cells) =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')).join(' | ')} |`;
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

/** The page of one run, in Markdown. */
export function pageOf({ who, takenAt, scale, outcomes, summary }) {
  const sets = [...new Set(outcomes.map(({ set }) => set))].map((set) => {
    const some = outcomes.filter((outcome) => outcome.set === set);
    const right = (outcome) => outcome.tries[0]?.right === true;
    return [
      set,
      some.length,
      some.filter(right).length,
      some.filter(({ tries }) => tries.some((one) => one.right)).length,
    ];
  });
  const failures = outcomes.flatMap(({ id, tries }) =>
    tries.flatMap(({ right, cause, text = '' }, at) => (right ? [] : [[id, at + 1, cause, text.slice(0, 200)]])),
  );
  return `# Evaluation

${summary.questions} questions over generated files, scripts by ${who}, ${takenAt.slice(0, 10)}, scale ${scale}.
${describe(summary)}

## By kind of file

${table(['files', 'questions', 'right at the first try', 'within three'], sets)}

## What failed

${failures.length === 0 ? 'Nothing.' : table(['question', 'try', 'cause', 'what the model got'], failures)}
`;
}

/** The figures in lines of text. */
export function describe(summary) {
  const causes = Object.entries(summary.causes).sort(([, a], [, b]) => b - a);
  return [
    '',
    `- right at the first try: ${summary.firstTry} of ${summary.questions} (${summary.firstTryPercent} %)`,
    `- right within three: ${summary.withinThree} (${summary.withinThreePercent} %)`,
    `- wrong values: ${summary.wrongValues}; failures by the tool: ${summary.byTool}`,
    `- failures by cause: ${causes.map(([cause, count]) => `${cause} ${count}`).join(', ') || 'none'}`,
    `- tokens: ${summary.tokens}; time in scripts: ${(summary.scriptMs / 1000).toFixed(1)} s, the median ${summary.medianScriptMs.toFixed(0)} ms`,
  ].join('\n');
}

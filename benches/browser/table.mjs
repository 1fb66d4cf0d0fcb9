/** Prints a table, with numbers aligned to the right and words to the left. */
export function print(title, heads, rows) {
  const lines = [heads, ...rows].map((row) => row.map(String));
  const widths = heads.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const isNumber = (text) => /^[\d.,]+( (ms|s|×))?$/.test(text);
  const cell = (text, column) => (isNumber(text) ? text.padStart(widths[column]) : text.padEnd(widths[column]));
  console.log(`\n${title}`);
  for (const line of lines) console.log(`  ${line.map(cell).join('   ')}`.trimEnd());
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export const count = (number) => number.toLocaleString('en-US');
export const ms = (number) => `${number.toFixed(3)} ms`;
export const s = (number) => `${number.toFixed(2)} s`;
export const times = (number) => `${number.toFixed(2)} ×`;

/** A number as a multiple of its budget (docs/budgets.md). */
export const against = (figure, budget) =>
  `${times(figure / budget)} of the budget${figure <= budget ? '' : ', above it'}`;

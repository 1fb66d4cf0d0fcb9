/** Tables of docs/formats.md that commands write. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './support.mjs';

const FILE = join(ROOT, 'docs/formats.md');

/** Replaces the table between `<!-- NAME -->` and `<!-- end of NAME -->`. */
export function writeTable(name, heads, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [line(heads), line(heads.map((_, i) => (i ? '--:' : '---'))), ...rows.map(line)].join('\n');
  const [before, rest] = split(readFileSync(FILE, 'utf8'), `<!-- ${name} -->`);
  const [, after] = split(rest, `<!-- end of ${name} -->`);
  writeFileSync(FILE, `${before}<!-- ${name} -->\n\n${table}\n\n<!-- end of ${name} -->${after}`);
  console.log(`\nThe table "${name}" of docs/formats.md is written.`);
}

function split(text, mark) {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`docs/formats.md has no ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}

import { stdout } from 'node:process';
import { styleText } from 'node:util';

// npm run pipes nothing, but CI does: no colours and no moving bar there.
const isTerminal = stdout.isTTY && process.env.NO_COLOR === undefined;
const barWidth = 32;

/** @param {Parameters<typeof styleText>[0]} format */
function styled(format, text) {
  return isTerminal ? styleText(format, text) : text;
}

export const bold = (text) => styled('bold', text);
export const dim = (text) => styled('dim', text);
export const good = () => styled('green', '✔');
export const bad = () => styled('red', '✘');
export const code = (text) => styled('cyan', text);

export function print(text = '') {
  stdout.write(`${text}\n`);
}

export function heading(number, text) {
  print(`\n${bold(`${number}  ${text}`)}\n`);
}

export function seconds(ms) {
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

export function count(number) {
  return number.toLocaleString('en-US');
}

export function bar(share, width = barWidth) {
  return '█'.repeat(Math.max(share > 0 ? 1 : 0, Math.round(share * width)));
}

/** A bar that moves on a terminal; elsewhere a line for each quarter. `done` takes it away again. */
export function createProgress(label) {
  let quarters = 0;
  return {
    update(share) {
      const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
      if (isTerminal) {
        const drawn = bar(share);
        stdout.write(`\r   ${label} ${code(drawn)}${dim('░'.repeat(barWidth - drawn.length))} ${percent}`);
      } else if (Math.floor(share * 4) > quarters) {
        quarters = Math.floor(share * 4);
        print(`   ${label} ${percent}`);
      }
    },
    done() {
      if (isTerminal) stdout.write('\r\u001b[2K');
    },
  };
}

/** Columns as wide as their widest cell. `right`: the columns with numbers. */
export function table(rows, right) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row, index) => {
    const cells = row.map((cell, column) =>
      right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column]),
    );
    const line = `   ${cells.join('   ').trimEnd()}`;
    return index === 0 ? dim(line) : line;
  });
}

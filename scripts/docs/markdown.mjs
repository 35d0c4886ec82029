/** A Markdown table; prettier aligns it. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A docstring with its line breaks undone, except those between paragraphs and around code. */
export function inProse(text) {
  if (text.includes('```')) return text;
  return text
    .split(/\n\n+/)
    .map((paragraph) => (/^( {4}|[-*] )/.test(paragraph) ? paragraph : paragraph.replaceAll('\n', ' ')))
    .join('\n\n');
}

export function fenced(language, code) {
  return `\`\`\`${language}\n${code.trim()}\n\`\`\``;
}

/** The anchor that GitHub gives a heading. */
export function anchor(heading) {
  return `#${heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')}`;
}

/** Fills `{{name}}` in a template. What is not there, and what is not used, is a mistake. */
export function fill(template, parts) {
  const unused = new Set(Object.keys(parts));
  const text = template.replaceAll(/\{\{([\w:/$ -]+)\}\}/g, (_, name) => {
    if (!Object.hasOwn(parts, name)) throw new Error(`The template wants {{${name}}}, which nothing provides.`);
    unused.delete(name);
    return parts[name];
  });
  if (unused.size > 0) throw new Error(`The template leaves out ${[...unused].join(', ')}.`);
  return text;
}

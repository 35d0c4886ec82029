const quoted = /\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;

const effects = [
  // A statement, which is not an expression.
  /(?:^|[;\n}])\s*(?:const|let|function|async\s+function|for|while|do|if|switch|try|throw)\b/,
  // An assignment, but not a comparison or an arrow function.
  /[^=!<>]=(?![=>])|(?:<<|>>|\*\*)=(?!=)/,
  /\+\+|--|\bdelete\b/,
  // Methods that change their object.
  /\.(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|assign)\s*\(/,
];

/**
 * Whether an input may change what later inputs see, judged by its text. Such an input is kept. In doubt the answer is
 * yes, because a wrong yes only costs time, while a wrong no makes later values wrong. A call of a function that
 * changes something is not recognised: the user types `.keep` for it.
 */
export function mayChangeSomething(input: string): boolean {
  const code = input.replace(quoted, (text) => (text.startsWith('/') ? ' ' : '""'));
  return effects.some((pattern) => pattern.test(code));
}

/** Names that an input declares, including those inside functions. For completion. */
export function namesIn(input: string): string[] {
  const declarations = input.replace(quoted, ' ').matchAll(/\b(?:const|let|function)\s+([A-Za-z_$][\w$]*)/g);
  return [...declarations].map(([, name]) => name as string);
}

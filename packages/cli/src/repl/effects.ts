const quoted = /\/\/.*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g;

const effects = [
  // A statement, and not an expression.
  /(?:^|[;\n}])\s*(?:const|let|function|async\s+function|for|while|do|if|switch|try|throw)\b/,
  // An assignment, and not a comparison or an arrow.
  /[^=!<>]=(?![=>])|(?:<<|>>|\*\*)=(?!=)/,
  /\+\+|--|\bdelete\b/,
  // Methods that change their object.
  /\.(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear|assign)\s*\(/,
];

/**
 * Whether an input may change what later ones see, by its looks: it must be kept then. When in doubt, yes: that costs
 * time, the other way the session would be wrong. What it cannot see is a function of the session that changes
 * something; for that there is `.keep`.
 */
export function mayChangeSomething(input: string): boolean {
  const code = input.replace(quoted, (text) => (text.startsWith('/') ? ' ' : '""'));
  return effects.some((pattern) => pattern.test(code));
}

/** Names that an input declares, for completion; those inside of functions as well. */
export function namesIn(input: string): string[] {
  const declarations = input.replace(quoted, ' ').matchAll(/\b(?:const|let|function)\s+([A-Za-z_$][\w$]*)/g);
  return [...declarations].map(([, name]) => name as string);
}

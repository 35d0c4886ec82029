/** Names of variables and headers that hold secrets. */
const secretName = /key|token|secret|passw|auth|credential|cookie/i;
/** A shorter value would occur in texts that have nothing to do with it. */
const shortest = 8;

/** The secrets among the variables and headers that a server is given. */
export function secretsOf(...given: (Record<string, string> | undefined)[]): string[] {
  const values = given.flatMap((each) => Object.entries(each ?? {}).filter(([name]) => secretName.test(name)));
  const all = values.flatMap(([, value]) => [value, value.replace(/^\w+ /, '')]);
  return [...new Set(all)].filter(({ length }) => length >= shortest).toSorted((one, two) => two.length - one.length);
}

/** The text with `[secret]` in place of each secret. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[secret]'), text);
}

/** A JSON value with `[secret]` in place of each secret. */
export function valueWithoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (secrets.length === 0) return value;
  const text = JSON.stringify(value);
  const escaped = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  const clean = withoutSecrets(text, escaped);
  return clean === text ? value : (JSON.parse(clean) as unknown);
}

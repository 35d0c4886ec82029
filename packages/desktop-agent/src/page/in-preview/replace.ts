/** Replaces a function of the page. */
export function replace<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  make: (original: Owner[Name]) => Owner[Name],
): void {
  owner[name] = make(owner[name]);
}

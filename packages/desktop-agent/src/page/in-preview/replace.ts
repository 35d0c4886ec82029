/** Puts a function in the place of one of the page's own. */
export function replace<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  make: (original: Owner[Name]) => Owner[Name],
): void {
  owner[name] = make(owner[name]);
}

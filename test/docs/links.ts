import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Links and headings are not looked for in code. */
function prose(document: string): string {
  return readFileSync(document, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
}

/** The anchors of a page, as GitHub makes them of its headings. */
function anchors(document: string): Set<string> {
  const found = new Set<string>();
  for (const [, heading] of prose(document).matchAll(/^#+ (.+)$/gm)) {
    const slug = (heading as string)
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let copy = 1; found.has(anchor); copy++) anchor = `${slug}-${copy}`;
    found.add(anchor);
  }
  return found;
}

/** The links of a page that lead to no file, or to no heading of it. */
export function brokenLinks(page: string): string[] {
  const links = [...prose(page).matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, link]) => link as string);
  return links.filter((link) => {
    const [file, anchor] = link.split('#') as [string, string?];
    const target = file === '' ? page : resolve(dirname(page), file);
    return !existsSync(target) || (anchor !== undefined && !anchors(target).has(anchor));
  });
}

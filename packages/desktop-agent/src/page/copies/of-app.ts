import type { App } from '../../shared/contract/index.ts';

/** The apps in their order, each with its copies below it. */
export function withCopies(apps: readonly App[]): (App & { isBelow: boolean })[] {
  const ids = new Set(apps.map(({ id }) => id));
  const isBelow = ({ copyOf }: App): boolean => copyOf !== null && ids.has(copyOf);
  return apps
    .filter((app) => !isBelow(app))
    .flatMap((app) => [
      { ...app, isBelow: false },
      ...apps.filter(({ copyOf }) => copyOf === app.id).map((copy) => ({ ...copy, isBelow: true })),
    ]);
}

/** The app that this one is a copy of, if it is on the list. */
export function appOf(app: App | undefined, apps: readonly App[]): App | undefined {
  return app?.copyOf === null ? undefined : apps.find(({ id }) => id === app?.copyOf);
}

/** Without a repository of its own, nothing could be brought back. */
export function mayBeCopied(app: App | undefined): app is App {
  return app !== undefined && app.git && app.repository === null && app.copyOf === null;
}

// Errors that the page of the app and its dev server report. They stay while other things are shown.
import type { Preview } from '../../../shared/contract/index.ts';
import type { FromPreview } from '../../../shared/preview-messages.ts';
import { createStore, useStore, type Store } from '../../state/store.ts';

export interface Issue {
  key: string;
  kind: Extract<FromPreview, { type: 'issue' }>['kind'] | 'server';
  text: string;
  count: number;
  /** The path in the app where it happened. */
  path?: string;
}

interface Issues {
  /** The errors of the page, the newest last. */
  ofPage: readonly Issue[];
  /** The keys of server errors that the person has sent or cleared. */
  gone: ReadonlySet<string>;
  /** The keys of errors that shall not be sent. */
  unchosen: ReadonlySet<string>;
}

const most = 100;
const byApp = new Map<string, Store<Issues>>();

function issuesOf(appId: string): Store<Issues> {
  let issues = byApp.get(appId);
  if (issues === undefined) {
    issues = createStore<Issues>({ ofPage: [], gone: new Set(), unchosen: new Set() });
    byApp.set(appId, issues);
  }
  return issues;
}

/** Adds an error. A known one is only counted. */
export function addIssue(appId: string, { kind, text, path }: Omit<Issue, 'key' | 'count'>): void {
  const { ofPage } = issuesOf(appId).get();
  const key = `${kind} ${text}`;
  const known = ofPage.find((issue) => issue.key === key);
  const issue = { key, kind, text, count: (known?.count ?? 0) + 1, ...(path !== undefined && { path }) };
  issuesOf(appId).set({ ofPage: [...ofPage.filter((one) => one !== known), issue].slice(-most) });
}

/** Removes errors that were sent, or that the person has cleared. */
export function removeIssues(appId: string, issues: readonly Issue[]): void {
  const { ofPage, gone } = issuesOf(appId).get();
  const keys = new Set(issues.map(({ key }) => key));
  const ofServer = issues.flatMap(({ kind, key }) => (kind === 'server' ? [key] : []));
  issuesOf(appId).set({ ofPage: ofPage.filter(({ key }) => !keys.has(key)), gone: new Set([...gone, ...ofServer]) });
}

export function choose(appId: string, key: string, isChosen: boolean): void {
  const unchosen = new Set(issuesOf(appId).get().unchosen);
  if (isChosen) unchosen.delete(key);
  else unchosen.add(key);
  issuesOf(appId).set({ unchosen });
}

/** All errors, those of the server first, and which of them are chosen. */
export function useIssues({ appId, errors }: Pick<Preview, 'appId' | 'errors'>): { all: Issue[]; chosen: Issue[] } {
  const { ofPage, gone, unchosen } = useStore(issuesOf(appId), (issues) => issues);
  const ofServer = errors
    .map(({ id, text, count }): Issue => ({ key: `server ${id} ${count}`, kind: 'server', text, count }))
    .filter(({ key }) => !gone.has(key));
  const all = [...ofServer, ...ofPage];
  return { all, chosen: all.filter(({ key }) => !unchosen.has(key)) };
}

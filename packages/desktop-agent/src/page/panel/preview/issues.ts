// What went wrong in the app, as its page and its dev server say it. It stays while other things are looked at.
import type { Preview } from '../../../shared/contract/index.ts';
import type { FromPreview } from '../../../shared/preview-messages.ts';
import { createStore, useStore, type Store } from '../../state/store.ts';

export interface Issue {
  key: string;
  kind: Extract<FromPreview, { type: 'issue' }>['kind'] | 'server';
  text: string;
  count: number;
  /** Where in the app it was. */
  path?: string;
}

interface Issues {
  /** Of the page, the newest last. */
  ofPage: readonly Issue[];
  /** Keys of those of the server that the person has sent or cleared. */
  gone: ReadonlySet<string>;
  /** Keys of those that are not to be sent. */
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

/** One that is known is counted. */
export function addIssue(appId: string, { kind, text, path }: Omit<Issue, 'key' | 'count'>): void {
  const { ofPage } = issuesOf(appId).get();
  const key = `${kind} ${text}`;
  const known = ofPage.find((issue) => issue.key === key);
  const issue = { key, kind, text, count: (known?.count ?? 0) + 1, ...(path !== undefined && { path }) };
  issuesOf(appId).set({ ofPage: [...ofPage.filter((one) => one !== known), issue].slice(-most) });
}

/** Takes them away: they were sent, or the person does not want them. */
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

/** Those of the server first, and which of all are chosen. */
export function useIssues({ appId, errors }: Pick<Preview, 'appId' | 'errors'>): { all: Issue[]; chosen: Issue[] } {
  const { ofPage, gone, unchosen } = useStore(issuesOf(appId), (issues) => issues);
  const ofServer = errors
    .map(({ id, text, count }): Issue => ({ key: `server ${id} ${count}`, kind: 'server', text, count }))
    .filter(({ key }) => !gone.has(key));
  const all = [...ofServer, ...ofPage];
  return { all, chosen: all.filter(({ key }) => !unchosen.has(key)) };
}

import { and, asc, desc, eq, inArray, isNull, lt, sql } from 'drizzle-orm';
import type { ChatMatch, Result } from '../../shared/contract/index.ts';
import type { Database } from '../database/open.ts';
import { chats, messages } from '../database/schema.ts';
import { matcherOf, type Excerpt } from './matcher.ts';

export interface ChatSearch {
  appId: string;
  text: string;
  matchCase: boolean;
  /** After this time, in ms, the search answers with what it has found. */
  stopAfterMs: number;
}

const maxMatches = 100;
/** How many messages one query reads. A query blocks the program, and a message can have a megabyte. */
const messagesAtOnce = 20;

/** Searches the titles of an app's chats, then its messages, the newest first. @throws after an abort, `signal`'s reason */
export async function searchChats(
  database: Database,
  { appId, stopAfterMs, ...query }: ChatSearch,
  signal: AbortSignal,
): Promise<Result<'search-chats'>> {
  const stopAt = Date.now() + stopAfterMs;
  const match = matcherOf({ ...query, pattern: false });
  const matches: ChatMatch[] = [];
  const add = (found: Omit<ChatMatch, keyof Excerpt>, text: string): boolean => {
    const excerpt = match(text);
    if (excerpt !== undefined) matches.push({ ...found, ...excerpt });
    return matches.length > maxMatches;
  };
  const isOfApp = and(eq(chats.appId, appId), isNull(chats.deletedAt));
  const titled = await database.select().from(chats).where(isOfApp).orderBy(desc(chats.updatedAt));
  for (const { id, title, updatedAt } of titled) {
    if (add({ chatId: id, title, messageId: null, at: updatedAt }, title)) return cutAt(matches);
  }
  const titles = new Map(titled.map(({ id, title }) => [id, title]));
  for (let last = Number.MAX_SAFE_INTEGER; ;) {
    signal.throwIfAborted();
    if (Date.now() > stopAt) return { matches, cut: 'time' };
    const page = await messagesBefore(database, [...titles.keys()], last);
    for (const { id, chatId, createdAt, text } of await textsOf(database, page)) {
      const found = { chatId, title: titles.get(chatId) ?? '', messageId: id, at: createdAt };
      if (add(found, oneLine(text, match))) return cutAt(matches);
    }
    if (page.length < messagesAtOnce) return { matches, cut: null };
    last = page.at(-1) ?? 0;
    // Other requests are answered in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function cutAt(matches: ChatMatch[]): Result<'search-chats'> {
  return { matches: matches.slice(0, maxMatches), cut: 'matches' };
}

async function messagesBefore(database: Database, chatIds: string[], last: number): Promise<number[]> {
  const rows = await database
    .select({ position: messages.position })
    .from(messages)
    .where(and(inArray(messages.chatId, chatIds), lt(messages.position, last)))
    .orderBy(desc(messages.position))
    .limit(messagesAtOnce);
  return rows.map(({ position }) => position);
}

/** Reads only the texts, because the outputs of scripts can be megabytes. */
async function textsOf(
  database: Database,
  positions: number[],
): Promise<{ id: string; chatId: string; createdAt: string; text: string }[]> {
  const part = sql`json_each(${messages.parts}) AS part`;
  return await database
    .select({
      id: messages.id,
      chatId: messages.chatId,
      createdAt: messages.createdAt,
      text: sql<string>`json_extract(part.value, '$.text')`,
    })
    .from(messages)
    .innerJoin(part, sql`json_extract(part.value, '$.type') = 'text'`)
    .where(inArray(messages.position, positions))
    .orderBy(desc(messages.position), asc(sql`part.key`));
}

/** The first line of a text that matches. */
function oneLine(text: string, match: (line: string) => Excerpt | undefined): string {
  return text.split('\n').find((line) => match(line) !== undefined) ?? '';
}

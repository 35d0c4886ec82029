import { realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { isInside } from '@mustard-sandbox/client';
import { defaultMediaDir, type AttachmentSource } from '../attachments/attachment.ts';
import { MediaFolder } from '../attachments/folder.ts';

/** The folders of a tool that scripts reach by the names of attachments alone. */
export interface Media {
  /** Where outputs of scripts go. Without it, a long output is only cut. */
  outputs: MediaFolder | undefined;
  /** That one, and the folder of the source. */
  folders: readonly MediaFolder[];
}

/** @param given as the tool's option, relative to `appPath` */
export function mediaOf(given: string | undefined, appPath: string | undefined, source: AttachmentSource): Media {
  const own = typeof source.directory === 'string' ? folderAt(source.directory, source.appPath ?? appPath) : undefined;
  const byDefault = appPath === undefined ? undefined : new MediaFolder(appPath, defaultMediaDir);
  const outputs = given === undefined ? (own ?? byDefault) : folderAt(resolve(appPath ?? '.', given), appPath);
  return { outputs, folders: [own, outputs].filter((folder) => folder !== undefined) };
}

/** By the folder that it belongs to, from which on no link may lead to it; a folder elsewhere by its parent. */
function folderAt(path: string, app: string | undefined): MediaFolder {
  const holder = app !== undefined && path !== app && isInside(path, [app]) ? app : dirname(path);
  return new MediaFolder(holder, relative(holder, path));
}

/** What a script may read by paths: of the app's folder, all but the media folders. */
export function readableByPath(
  appPath: string | undefined,
  folders: readonly MediaFolder[],
): { root?: string; deny?: string[] } {
  if (appPath === undefined) return {};
  const app = realPathOf(appPath);
  const media = folders.flatMap((folder) => folder.realPathSync() ?? []);
  if (app === undefined) return { root: appPath };
  if (media.some((folder) => isInside(app, [folder]))) return {};
  const below = media.filter((folder) => isInside(folder, [app]));
  return { root: appPath, ...(below.length > 0 && { deny: below.map((folder) => patternOf(relative(app, folder))) }) };
}

/** Of a folder below the root. What a pattern cannot say is any one character, which may deny more and never less. */
function patternOf(below: string): string {
  return `/${below
    .split(sep)
    .join('/')
    .replaceAll(/[\\{}[\]\p{Cc}]/gu, '?')}`;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

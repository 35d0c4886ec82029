import { realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { isInside } from '@mustard-sandbox/paths';
import { defaultMediaDir, type AttachmentSource } from '../attachments/attachment.ts';
import { MediaFolder } from '../attachments/folder.ts';

/** The folders of a tool that scripts reach only by names of attachments, never by paths. */
export interface Media {
  /** Where outputs of scripts go. Without it, a long output is only cut. */
  outputs: MediaFolder | undefined;
  /** That folder, and the folder of the attachment source. */
  folders: readonly MediaFolder[];
}

/** @param given the tool's option, relative to `appPath` */
export function mediaOf(given: string | undefined, appPath: string | undefined, source: AttachmentSource): Media {
  const own = typeof source.directory === 'string' ? folderAt(source.directory, source.appPath ?? appPath) : undefined;
  const byDefault = appPath === undefined ? undefined : new MediaFolder(appPath, defaultMediaDir);
  const outputs = given === undefined ? (own ?? byDefault) : folderAt(resolve(appPath ?? '.', given), appPath);
  return { outputs, folders: [own, outputs].filter((folder) => folder !== undefined) };
}

/**
 * From this folder on, no link may lead to the media folder. It is the app's folder, or the parent of a folder
 * elsewhere.
 */
function folderAt(path: string, app: string | undefined): MediaFolder {
  const holder = app !== undefined && path !== app && isInside(path, [app]) ? app : dirname(path);
  return new MediaFolder(holder, relative(holder, path));
}

/** What a script may read by paths: the app's folder without the media folders. */
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

/**
 * A deny pattern for a folder below the root. A character that a pattern cannot express becomes `?`, which denies more
 * and never less.
 */
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

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { foldName, isInside, isSecret, refusalOfName } from '@mustard-sandbox/paths';
import { AgentError } from '../../../shared/contract/index.ts';
import { diskFull } from '../../disk-full.ts';
import { resolveFolder } from '../folders.ts';

const maxNameBytes = 200;

/**
 * Checks the name of a new folder against the rules of every system, because the app may be moved to another one.
 *
 * @throws {AgentError} `invalid_request`
 */
function checkFolderName(typed: string): string {
  const name = typed.trim().normalize('NFC');
  const refuse = (why: string): AgentError => {
    return new AgentError(
      'invalid_request',
      `${JSON.stringify(name.slice(0, 100))} cannot be the name of an app: ${why}.`,
    );
  };
  if (name === '') throw new AgentError('invalid_request', 'The app has no name yet. Type one.');
  if (Buffer.byteLength(name) > maxNameBytes) throw refuse(`it has over ${maxNameBytes} bytes`);
  if (name.includes('/')) throw refuse("it is one folder, so it has no '/'");
  const why = refusalOfName(name, true, 'win32');
  if (why !== undefined) throw refuse(why);
  if (/[<>"|?*]/.test(name)) throw refuse('Windows does not allow < > " | ? and * in names');
  if (/\p{Cf}/u.test(name)) throw refuse('it has characters that cannot be seen');
  if (/^[.-]/.test(name)) throw refuse("it begins with '.' or '-'");
  if (isSecret([name])) throw refuse('scripts may not read folders with this name');
  return name;
}

/**
 * Makes a folder with its content. If anything fails, there is no folder.
 *
 * @param fill writes into a temporary folder, which is renamed when it is complete
 * @returns its path, absolute and without links
 * @throws {AgentError} `invalid_request` for a name that is taken or cannot be one; `denied`, `disk_full`
 */
export async function makeFolder(
  { parent, name: typed, dataDir }: { parent: string; name: string; dataDir: string },
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const name = checkFolderName(typed);
  const around = await resolveFolder(parent);
  if (isInside(around, [dataDir])) {
    throw new AgentError('invalid_request', `${around} belongs to the agent. Choose another folder for the app.`);
  }
  const place = join(around, name);
  const partial = join(around, `.${basename(place).slice(0, 50)}.${randomUUID().slice(0, 8)}.partial`);
  await refuseTaken(around, name);
  try {
    await mkdir(partial, { mode: 0o755 });
    await fill(partial);
    // Another program may have made such a folder meanwhile. A rename would replace it if it is empty.
    await refuseTaken(around, name);
    await rename(partial, place);
    return place;
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    throw explained(error, place);
  }
}

/** Refuses a name that exists. On macOS and Windows, names that differ in case or the encoding of accents are the same. */
async function refuseTaken(parent: string, name: string): Promise<void> {
  const names = await readdir(parent).catch((error: unknown) => {
    throw explained(error, join(parent, name));
  });
  const twin = names.find((other) => foldName(other) === foldName(name));
  if (twin === undefined) return;
  const why = twin === name ? '' : ', which is the same name on some disks';
  throw new AgentError(
    'invalid_request',
    `There is already ${JSON.stringify(twin)} in ${parent}${why}. Choose another name.`,
  );
}

function explained(error: unknown, place: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new AgentError('denied', `${place} cannot be made: the folder around it may not be written to.`, {
      cause: error,
    });
  }
  return diskFull(error, `The disk is full, so ${place} was not made. Free some room and try again.`) ?? error;
}

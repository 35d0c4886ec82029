import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, vi } from 'vitest';
import { endFile } from './file-end.ts';

afterAll(endFile);

// The settings of whoever runs the tests must not change what the command does in them.
delete process.env['MUSTARD_SANDBOX_CONFIG'];
process.env['XDG_CONFIG_HOME'] = process.env['APPDATA'] = join(tmpdir(), 'no-configuration-of-mustard-sandbox');

// Tests must not write into the keychain of whoever runs them.
process.env['MUSTARD_AGENT_KEYCHAIN'] = 'off';

/** Vitest waits for one second, in which a busy machine may not even start a process. Only a hang takes this long. */
const patience = { timeout: 120_000 };

const { waitFor, waitUntil } = vi;
const patient = (options: number | object | undefined): number | object =>
  typeof options === 'number' ? options : { ...patience, ...options };
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

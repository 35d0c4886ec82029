import type { Backend } from '../../machine.ts';
import { BashError } from '../../errors.ts';
import type { ParsedOptions } from '../../workspaces/options.ts';
import { nothingSeeded } from '../../workspaces/seed.ts';
import { failed, upload } from '../../workspaces/upload.ts';
import { VercelMachine, type VercelKit } from './machine.ts';

/** Credentials are looked for only in these variables. */
const variables = ['VERCEL_TOKEN', 'VERCEL_TEAM_ID', 'VERCEL_PROJECT_ID'] as const;

/**
 * @vercel/sandbox, which gives each workspace a virtual machine elsewhere.
 *
 * @throws {BashError} `backend_unavailable`
 */
export async function vercelBackend(options: ParsedOptions, env = process.env): Promise<Backend> {
  const missing = variables.filter((name) => (env[name] ?? '') === '');
  if (missing.length > 0) throw unavailable(`${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set`);
  const { VERCEL_TOKEN: token = '', VERCEL_TEAM_ID: teamId = '', VERCEL_PROJECT_ID: projectId = '' } = env;
  let sdk: VercelKit['sdk'];
  try {
    ({ Sandbox: sdk } = await import('@vercel/sandbox'));
  } catch (error) {
    throw unavailable('the package @vercel/sandbox is not installed: `npm install @vercel/sandbox`', error);
  }
  const { limits, network, runtime } = options;
  const kit: VercelKit = { sdk, credentials: { token, teamId, projectId }, limits, network, runtime };
  return {
    async seed(folders, { git, upload: seed }, signal) {
      if (git !== undefined)
        throw failed(
          'the backend vercel does not support git yet. Clone the repository into a folder, and use upload.',
        );
      if (seed === undefined) return nothingSeeded;
      if (seed.include === undefined)
        throw failed('the backend vercel needs `include`, because it cannot ask git which files are tracked.');
      // The first command takes it from here to the machine.
      return await upload({ seed, target: folders.files, limits, tracked: undefined, signal });
    },
    machine: (folders, id) => new VercelMachine(kit, id, folders.files),
  };
}

function unavailable(why: string, cause?: unknown): BashError {
  return new BashError('backend_unavailable', `The backend vercel cannot run here: ${why}.`, {
    details: { backend: 'vercel' },
    cause,
  });
}

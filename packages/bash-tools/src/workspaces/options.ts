import * as z from 'zod';
import { limitsSchema } from '../limits.ts';
import { machineOutside, type Outside } from '../network/outside.ts';

export const backendNames = ['local', 'memory', 'vercel'] as const;

export const workspacesOptionsSchema = z.strictObject({
  /** The folder with all workspaces of the host. It is made if it is missing. Nobody else may write to it. */
  directory: z.string().min(1),
  /** Where commands run: a jail on this machine, an interpreter without native code, or a machine of Vercel. */
  backend: z.enum(backendNames, `must be one of ${backendNames.join(', ')}`).default('local'),
  /**
   * Lets commands reach the network. With `local` that is the network of this machine, including 127.0.0.1. Default:
   * false.
   */
  network: z.boolean('must be true or false').default(false),
  /**
   * `local`: how commands reach the domains that they are allowed, instead of by the name service and the network of this
   * machine. The proxy still decides about names and addresses.
   */
  outside: z
    .custom<Outside>((value) => typeof (value as Outside).lookup === 'function', 'must have lookup and connect')
    .default(machineOutside),
  /** Limits other than the defaults. */
  limits: limitsSchema.prefault({}),
  /**
   * `local`: further files and folders that commands may read, absolute, such as a toolchain outside of /usr. A folder
   * `bin` in one of them goes into PATH.
   */
  toolchain: z.array(z.string().startsWith('/', 'must be an absolute path')).default([]),
  /** `vercel`: the language that the machine has installed. */
  runtime: z.enum(['node22', 'python3.13'], 'must be one of node22, python3.13').default('node22'),
  /** Called with what a person should know, such as that the network is open. */
  onWarning: z
    .custom<(message: string) => void>((value) => typeof value === 'function', 'must be a function')
    .optional(),
});

/** Options of `createWorkspaces`. Unknown keys are refused. */
export type WorkspacesOptions = z.input<typeof workspacesOptionsSchema>;
export type ParsedOptions = z.output<typeof workspacesOptionsSchema>;

/** Where commands run. */
export type BackendName = (typeof backendNames)[number];

// The app itself, started by its own dev script and shown beside the chat.
import * as z from 'zod';
import { appId } from './model.ts';

const port = z.int().min(1).max(65_535);

/** A script of `package.json`, with all that is run for it. */
const devScript = z.strictObject({ name: z.string(), command: z.string() });
export type DevScript = z.infer<typeof devScript>;

/** An error in the output of the dev script: its first line, and what belongs to it. */
const serverError = z.strictObject({ id: z.int(), text: z.string(), count: z.int() });
export type ServerError = z.infer<typeof serverError>;

const preview = z.strictObject({
  appId,
  /** `asking`: a person has not answered yet. `starting`: nothing listens yet. `ended`: by itself, as `exit` says. */
  state: z.enum(['off', 'asking', 'starting', 'running', 'ended']),
  /** The command of the shell, whole; `null` before the first start. */
  command: z.string().nullable(),
  /** Those on which its processes listen, the likeliest first. */
  ports: z.array(port),
  /** The one that is shown; `null` while there is none. */
  port: port.nullable(),
  /** Where the proxy shows it, without `/` at the end. Another origin than the agent's. */
  origin: z.string(),
  /** How it ended, for a person. */
  exit: z.string().nullable(),
  errors: z.array(serverError),
});
export type Preview = z.infer<typeof preview>;

const ofApp = z.strictObject({ appId });

export const previewRequests = {
  /** `scripts`: what `package.json` has, the usual one first. `why`: there is none, for a person. */
  'get-preview': {
    params: ofApp,
    result: z.strictObject({ preview, scripts: z.array(devScript), why: z.string() }),
  },
  /** Starts a script, or starts it again. Asks the person first; resolves when it runs, or when they said no. */
  'start-preview': { params: z.strictObject({ appId, script: z.string().max(200) }), result: preview },
  /** Ends its processes, or takes the question back. */
  'stop-preview': { params: ofApp, result: preview },
  'choose-preview-port': { params: z.strictObject({ appId, port }), result: preview },
  /** The last of the output. `left`: how many characters before it are not kept. */
  'read-preview-output': { params: ofApp, result: z.strictObject({ text: z.string(), left: z.number() }) },
} as const;

export const previewEvents = {
  'preview:changed': z.strictObject({ preview }),
  /** There is more output. Told a few times a second at most. */
  'preview:printed': ofApp,
  /** The page of the app is to be loaded again. */
  'preview:reload': ofApp,
} as const;

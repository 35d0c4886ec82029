// The app itself, started by its own dev script and shown beside the chat.
import * as z from 'zod';
import { appId } from './model.ts';

const port = z.int().min(1).max(65_535);

/** A script of `package.json`, with the whole command that is run. */
const devScript = z.strictObject({ name: z.string(), command: z.string() });
export type DevScript = z.infer<typeof devScript>;

/** An error in the output of the dev script: its first line and the lines that belong to it. */
const serverError = z.strictObject({ id: z.int(), text: z.string(), count: z.int() });
export type ServerError = z.infer<typeof serverError>;

const preview = z.strictObject({
  appId,
  /** `asking`: a person has not answered yet. `starting`: nothing listens yet. `ended`: it ended by itself; see `exit`. */
  state: z.enum(['off', 'asking', 'starting', 'running', 'ended']),
  /** The whole shell command; `null` before the first start. */
  command: z.string().nullable(),
  /** The ports on which its processes listen, the likeliest first. */
  ports: z.array(port),
  /** The port that is shown; `null` while there is none. */
  port: port.nullable(),
  /** Where the proxy shows the app, without `/` at the end. This origin differs from the agent's. */
  origin: z.string(),
  /** How it ended, for a person. */
  exit: z.string().nullable(),
  errors: z.array(serverError),
});
export type Preview = z.infer<typeof preview>;

const ofApp = z.strictObject({ appId });

export const previewRequests = {
  /** `scripts` are those of `package.json`, the usual one first. `why` says to a person why there is none. */
  'get-preview': {
    params: ofApp,
    result: z.strictObject({ preview, scripts: z.array(devScript), why: z.string() }),
  },
  /** Asks the person, and then starts or restarts a script. Resolves when it runs, or when the person said no. */
  'start-preview': { params: z.strictObject({ appId, script: z.string().max(200) }), result: preview },
  /** Ends the processes of the app, or closes the question. */
  'stop-preview': { params: ofApp, result: preview },
  'choose-preview-port': { params: z.strictObject({ appId, port }), result: preview },
  /** The end of the output. `left` is how many characters before it are not kept. */
  'read-preview-output': { params: ofApp, result: z.strictObject({ text: z.string(), left: z.number() }) },
} as const;

export const previewEvents = {
  'preview:changed': z.strictObject({ preview }),
  /** There is more output. The event comes a few times a second at most. */
  'preview:printed': ofApp,
  /** The page of the app shall be loaded again. */
  'preview:reload': ofApp,
} as const;

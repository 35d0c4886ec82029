import { AgentError, type DevScript, type Handlers } from '../../shared/contract/index.ts';
import type { Consents } from '../consents/consents.ts';
import type { Services } from '../services.ts';
import { PreviewServer } from './proxy/server.ts';
import { Previews } from './previews.ts';
import { listScripts } from './scripts.ts';

type Names = 'get-preview' | 'start-preview' | 'stop-preview' | 'choose-preview-port' | 'read-preview-output';

/** The previews of apps, with the server that shows them. */
export interface PreviewRoom extends AsyncDisposable {
  handlers: Pick<Handlers, Names>;
  /** The port of the server that shows the apps. */
  port: number;
  /** @param port the port of the agent's page, which alone may frame the apps */
  setFramers: (port: number) => void;
  /** Runs the preview commands of a proposal that was applied. */
  onApplied: (appId: string, commands: readonly string[]) => void;
  /** Ends the running processes of an app. */
  forget: (appId: string) => Promise<void>;
}

/** Listens at once, because the policy of the agent's page names the port. An app runs only when a person starts it. */
export async function previewRoom(
  { apps, broadcast, log, notices }: Pick<Services, 'apps' | 'broadcast' | 'log' | 'notices'>,
  consents: Consents,
): Promise<PreviewRoom> {
  const server: PreviewServer = await PreviewServer.start({ targetOf: (appId) => previews.targetOf(appId), log });
  const previews = new Previews({ apps, broadcast, ...consents, originOf: (appId) => server.originOf(appId) });
  const act = async (appId: string, commands: readonly string[]): Promise<void> => {
    try {
      await previews.act(appId, commands);
    } catch (error) {
      if (error instanceof AgentError) notices.fail(`The preview was not restarted: ${error.message}`);
      else log.error({ code: (error as { code?: unknown }).code }, 'a preview could not be restarted');
    }
  };
  return {
    port: server.port,
    setFramers: (port) => server.setFramers(port),
    forget: (appId) => previews.forget(appId),
    onApplied: (appId, commands) => void act(appId, commands),
    handlers: {
      'get-preview': async ({ appId }) => {
        const app = await apps.get(appId);
        const { scripts, why } = await listScripts(app).then(
          (scripts) => ({ scripts, why: scripts.length === 0 ? 'package.json of this app has no scripts.' : '' }),
          (error: unknown) => ({ scripts: [] as DevScript[], why: wordsOf(error) }),
        );
        return { preview: previews.get(appId), scripts, why };
      },
      'start-preview': async ({ appId, script }) => await previews.start(appId, script),
      'stop-preview': async ({ appId }) => await previews.stop((await apps.get(appId)).id),
      'choose-preview-port': async ({ appId, port }) => previews.choose((await apps.get(appId)).id, port),
      'read-preview-output': async ({ appId }) => previews.output((await apps.get(appId)).id),
    },
    async [Symbol.asyncDispose]() {
      await previews[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof AgentError)) throw error;
  return error.code === 'not_found'
    ? 'This app has no package.json with scripts, so there is nothing to start.'
    : error.message;
}

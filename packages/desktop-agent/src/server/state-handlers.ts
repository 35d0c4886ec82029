import type { Handlers } from '../shared/contract/index.ts';
import type { TurnRoom } from './turns/assemble.ts';
import type { Services } from './services.ts';

/** Answers with the state that a page needs first. */
export function stateHandlers(
  { version, apps, settings }: Services,
  { questions, waitingRuns, bashStatus }: Pick<TurnRoom, 'questions' | 'waitingRuns' | 'bashStatus'>,
): Pick<Handlers, 'get-state'> {
  return {
    'get-state': async () => {
      const { settingsInfo } = await import('@mustard-sandbox/agent-tool');
      return {
        version,
        apps: await apps.list(),
        settings: await settings.get(),
        questions: questions(),
        waitingRuns: [...waitingRuns()],
        scriptSettings: settingsInfo,
        bash: await bashStatus(),
      };
    },
  };
}

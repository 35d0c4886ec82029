import type { Handlers } from '../contract/index.ts';
import type { AnswerRoom } from './answers/index.ts';
import type { Services } from './services.ts';

/** What a page needs first. */
export function stateHandlers(
  { version, apps, settings }: Services,
  { questions, bashStatus }: Pick<AnswerRoom, 'questions' | 'bashStatus'>,
): Pick<Handlers, 'get-state'> {
  return {
    'get-state': async () => {
      const { settingsInfo } = await import('@mustard-sandbox/agent-tool');
      return {
        version,
        apps: await apps.list(),
        settings: await settings.get(),
        questions: questions(),
        scriptSettings: settingsInfo,
        bash: await bashStatus(),
      };
    },
  };
}

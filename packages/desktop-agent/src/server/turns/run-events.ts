// The events about scripts for pages, which feed the run store of the cards.
import type { AgentEvent, ScriptRecord, SandboxEvent } from '@mustard-sandbox/agent-tool';
import type { Broadcast, Rerun } from '../../shared/contract/index.ts';

export type RunEvent =
  | AgentEvent
  | SandboxEvent
  /** `rerunOf` is the run that had this script first. */
  | { type: 'card.called'; at: string; runId: string; script: string; description?: string; rerunOf?: string }
  | { type: 'card.answered'; at: string; runId: string; record: ScriptRecord }
  /** There will be no record of this run. */
  | { type: 'card.gone'; at: string; runId: string };

type WithoutTime<Event> = Event extends RunEvent ? Omit<Event, 'at'> & { at?: string } : never;

/** Sends the events of runs, and stores those of runs under way for a page that opens in the middle. */
export class RunEvents {
  readonly #broadcast: Broadcast;
  readonly #underWay = new Map<string, { chatId: string; events: RunEvent[] }>();

  constructor(broadcast: Broadcast) {
    this.#broadcast = broadcast;
  }

  tell(chatId: string, event: WithoutTime<RunEvent>): void {
    const whole: RunEvent = { at: new Date().toISOString(), ...event };
    if ('runId' in whole) {
      if (whole.type === 'card.called') this.#underWay.set(whole.runId, { chatId, events: [] });
      this.#underWay.get(whole.runId)?.events.push(whole);
      if (whole.type === 'card.answered' || whole.type === 'card.gone') this.#underWay.delete(whole.runId);
    }
    this.#broadcast('chat:run', { chatId, event: whole });
  }

  /** The reruns of a chat that have no record yet. */
  reruns(chatId: string): Rerun[] {
    return [...this.#underWay.values()].flatMap((run) => {
      const [called] = run.events;
      if (run.chatId !== chatId || called?.type !== 'card.called' || called.rerunOf === undefined) return [];
      return [{ runId: called.runId, rerunOf: called.rerunOf, record: null }];
    });
  }

  /** Sends the events of a chat's runs without a record again. Repeated events do not change a card. */
  replay(chatId: string): void {
    for (const run of this.#underWay.values()) {
      if (run.chatId !== chatId) continue;
      for (const event of run.events) this.#broadcast('chat:run', { chatId, event });
    }
  }
}

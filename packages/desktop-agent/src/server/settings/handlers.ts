import { randomUUID } from 'node:crypto';
import type { Handlers } from '../../shared/contract/index.ts';
import { serverOf } from '../models/servers.ts';
import type { Services } from '../services.ts';

const serverKey = 'openai-compatible';

function isOtherServer(before: string, after: string): boolean {
  const [old, next] = [serverOf(before), serverOf(after)];
  return old !== undefined && (next === undefined || new URL(old.url).origin !== new URL(next.url).origin);
}

export function settingsHandlers({
  settings,
  keys,
  broadcast,
}: Services): Pick<Handlers, 'update-settings' | 'set-key' | 'list-keys'> {
  const dropServerKey = async (): Promise<void> => {
    if ((await keys.get(serverKey)) === undefined) return;
    await keys.set(serverKey, null);
    const text = 'The key of the server before is removed: it is not sent to another server. Give the key of this one.';
    broadcast('notice', { id: randomUUID(), text, kind: 'info' });
  };
  return {
    'update-settings': async (change) => {
      const { baseUrl: before } = await settings.get();
      // A key is for the server that it was given for. First, so that no request takes it to the next one.
      if (change.baseUrl !== undefined && isOtherServer(before, change.baseUrl)) await dropServerKey();
      const updated = await settings.update(change);
      broadcast('settings:changed', { settings: updated });
      return updated;
    },
    'set-key': async ({ provider, key }) => {
      await keys.set(provider, key === '' ? null : key);
      return {};
    },
    'list-keys': async () => await keys.list(),
  };
}

import type { Handlers } from '../../contract/index.ts';
import type { Services } from '../services.ts';

export function settingsHandlers({
  settings,
  keys,
  broadcast,
}: Services): Pick<Handlers, 'update-settings' | 'set-key' | 'list-keys'> {
  return {
    'update-settings': async (change) => {
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

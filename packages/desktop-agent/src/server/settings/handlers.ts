import type { Handlers } from '../../shared/contract/index.ts';
import type { Services } from '../services.ts';
import { domainsFrom } from '../workspace/domains.ts';

type Names =
  | 'update-settings'
  | 'set-key'
  | 'list-keys'
  | 'set-model-options'
  | 'list-model-servers'
  | 'save-model-server'
  | 'remove-model-server';

export function settingsHandlers(services: Services): Pick<Handlers, Names> {
  const { settings, keys, modelServers, modelOptions, broadcast } = services;
  const tellModels = (): void => broadcast('models:changed', {});
  return {
    'update-settings': async (change) => {
      const network = change.network && { ...change.network, domains: await domainsFrom(change.network.domains) };
      const updated = await settings.update({ ...change, ...(network && { network }) });
      broadcast('settings:changed', { settings: updated });
      return updated;
    },
    'set-key': async ({ provider, key }) => {
      await keys.set(provider, key === '' ? null : key);
      tellModels();
      return {};
    },
    'list-keys': async () => await keys.list(),
    'set-model-options': async ({ model, options }) => {
      await modelOptions.set(model, options);
      tellModels();
      return {};
    },
    'list-model-servers': async () => await modelServers.list(),
    'save-model-server': async ({ id, server }) => {
      await modelServers.save(id, server);
      tellModels();
      return await modelServers.list();
    },
    'remove-model-server': async ({ id }) => {
      await modelServers.remove(id);
      tellModels();
      return await modelServers.list();
    },
  };
}

// What commands reach by the network.
import { AgentError, type Settings } from '../../shared/contract/index.ts';

/** The domains that a person typed, each in its one form. @throws {AgentError} `invalid_request` naming a wrong one */
export async function domainsFrom(typed: readonly string[]): Promise<string[]> {
  const { parseDomain } = await import('@mustard-sandbox/bash-tools');
  const domains = typed.map((text) => {
    const domain = parseDomain(text);
    if (domain !== undefined) return domain;
    throw new AgentError(
      'invalid_request',
      `“${text.slice(0, 100)}” is no public domain. Type a name such as example.com, or *.example.com for all below it.`,
    );
  });
  return [...new Set(domains)];
}

/** All domains that the settings allow. */
export async function allowedDomains({ network }: Pick<Settings, 'network'>): Promise<string[]> {
  const { registryDomains } = await import('@mustard-sandbox/bash-tools');
  return [...new Set([...(network.registries ? registryDomains : []), ...network.domains])];
}

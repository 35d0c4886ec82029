/** A tenant stands in keys, channels and paths. */
export const tenantPattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/** Whether a fleet takes this as the name of a tenant: 1 to 32 small letters, digits and hyphens, no hyphen at an end. */
export function isTenantName(text: string): boolean {
  return tenantPattern.test(text);
}

/**
 * What things are called in Redis. Everything of a tenant begins with the same text, so that an ACL can give its clients
 * nothing else: docs/fleet.md.
 */
export class Names {
  readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** Lanes that have jobs. Workers ask here, so that they need not ask each lane. */
  get backlog(): string {
    return `${this.prefix}:backlog`;
  }

  /** One entry for each new job, up to a few: what idle workers wait for. */
  get wake(): string {
    return `${this.prefix}:wake`;
  }

  /** What a worker tells of itself. */
  worker(id: string): string {
    return `${this.prefix}:worker:${id}`;
  }

  /** Where the client that has sent a job hears of it. */
  replies(tenant: string, client: string): string {
    return `${this.prefix}:${tenant}:fleet:replies:${client}`;
  }

  /** Where workers hear of cancelled jobs. */
  cancels(tenant: string): string {
    return `${this.prefix}:${tenant}:fleet:cancels`;
  }

  answer(tenant: string, job: string): string {
    return `${this.prefix}:${tenant}:fleet:answer:${job}`;
  }

  cancelled(tenant: string, job: string): string {
    return `${this.prefix}:${tenant}:fleet:cancelled:${job}`;
  }

  /** There while a script is quarantined. */
  quarantined(tenant: string, script: string): string {
    return `${this.prefix}:${tenant}:fleet:quarantined:${script}`;
  }
}

/** A queue of one tenant: for jobs that any worker can do, or for those that only workers of one release can go on with. */
export interface Lane {
  tenant: string;
  release?: string | undefined;
}

/** The name of its queue. */
export function laneName({ tenant, release }: Lane): string {
  return release === undefined ? tenant : `${tenant}@${release}`;
}

/** The lane of a name. Whoever can write to Redis may have written the name. */
export function laneOf(name: string): Lane {
  const at = name.indexOf('@');
  return at === -1 ? { tenant: name } : { tenant: name.slice(0, at), release: name.slice(at + 1) };
}

/** The name of a tenant is part of keys, channels and paths. */
export const tenantPattern = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/;

/**
 * Whether a fleet accepts this as the name of a tenant: 1 to 32 lower-case letters, digits and hyphens, without a
 * hyphen at an end.
 */
export function isTenantName(text: string): boolean {
  return tenantPattern.test(text);
}

/**
 * The names in Redis. All names of a tenant begin with the same text, so that an ACL can restrict its clients to them:
 * docs/fleet.md.
 */
export class Names {
  readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** Lanes that have jobs. Workers look here, so that they need not ask each lane. */
  get backlog(): string {
    return `${this.prefix}:backlog`;
  }

  /** Idle workers wait for entries here. There is one for each new job, up to a maximum. */
  get wake(): string {
    return `${this.prefix}:wake`;
  }

  /** The report of a worker about itself. */
  worker(id: string): string {
    return `${this.prefix}:worker:${id}`;
  }

  /** The channel on which the client of a job gets notices. */
  replies(tenant: string, client: string): string {
    return `${this.prefix}:${tenant}:fleet:replies:${client}`;
  }

  /** The channel on which workers get notices of cancelled jobs. */
  cancels(tenant: string): string {
    return `${this.prefix}:${tenant}:fleet:cancels`;
  }

  answer(tenant: string, job: string): string {
    return `${this.prefix}:${tenant}:fleet:answer:${job}`;
  }

  cancelled(tenant: string, job: string): string {
    return `${this.prefix}:${tenant}:fleet:cancelled:${job}`;
  }

  /** Exists while a script is quarantined. */
  quarantined(tenant: string, script: string): string {
    return `${this.prefix}:${tenant}:fleet:quarantined:${script}`;
  }
}

/**
 * A queue of one tenant: for jobs that any worker can do, or for jobs that only workers of one release can continue.
 */
export interface Lane {
  tenant: string;
  release?: string | undefined;
}

/** The name of its queue. */
export function laneName({ tenant, release }: Lane): string {
  return release === undefined ? tenant : `${tenant}@${release}`;
}

/** The lane with this name. Anyone who can write to Redis may have written the name. */
export function laneOf(name: string): Lane {
  const at = name.indexOf('@');
  return at === -1 ? { tenant: name } : { tenant: name.slice(0, at), release: name.slice(at + 1) };
}

import { AgentError } from '../../../shared/contract/index.ts';

export function broken(what: string): AgentError {
  const message = `This repository cannot be read here: ${what} is broken. Look at it with \`git fsck\`.`;
  return new AgentError('no_git', message);
}

export function missing(oid: string): AgentError {
  const message = `An object of this repository is missing (${oid.slice(0, 10)}). If it is a shallow clone, run \`git fetch --unshallow\`.`;
  return new AgentError('not_found', message);
}

export function otherType(oid: string, type: string, wanted: string): AgentError {
  return new AgentError('not_found', `${oid.slice(0, 10)} of this repository is a ${type}, and no ${wanted}.`);
}

export function tooLarge(oid: string, bytes: number): AgentError {
  const message = `An object of this repository has over ${bytes / 1024 / 1024} MB (${oid.slice(0, 10)}), which is too large to be read here. Use git itself for it.`;
  return new AgentError('limit_exceeded', message);
}

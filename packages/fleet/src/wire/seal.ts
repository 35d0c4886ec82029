import { Sealer, type Key, type SealRefusal } from '@mustard-sandbox/client/seal';
import { SandboxError } from '@mustard-sandbox/protocol';

/** What a job or an answer is for. */
export interface Purpose {
  tenant: string;
  job: string;
  what: 'job' | 'answer';
}

/** Seals what goes through the queue: it can be neither read there nor changed, nor put in the place of another. */
export function queueSealer(keys: readonly Key[]): Sealer<Purpose> {
  return new Sealer<Purpose>(keys, (why) => new SandboxError('protocol_error', `It is refused: ${words[why]}.`));
}

const words: Record<SealRefusal<Purpose>, string> = {
  shapeless: 'it has not the form of what is sealed',
  forged: 'it is not as it was sealed',
  unknown_key: 'it was sealed with a key that is not known here. Workers need a new key before clients use it',
  tenant: 'it is of another tenant',
  job: 'it is of another job',
  what: 'a job stands where an answer should, or the reverse',
};

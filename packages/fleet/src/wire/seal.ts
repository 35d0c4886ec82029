import { Sealer, type Key, type SealRefusal } from '@mustard-sandbox/client/seal';
import { SandboxError } from '@mustard-sandbox/protocol';

/** What a job or an answer is for. */
export interface Purpose {
  tenant: string;
  job: string;
  what: 'job' | 'answer';
}

/** Seals what goes through the queue. It can be neither read nor changed there, nor put in the place of another. */
export function queueSealer(keys: readonly Key[]): Sealer<Purpose> {
  return new Sealer<Purpose>(keys, (why) => new SandboxError('protocol_error', `It is refused: ${words[why]}.`));
}

const words: Record<SealRefusal<Purpose>, string> = {
  shapeless: 'it does not have the form of sealed bytes',
  forged: 'it has changed since it was sealed',
  unknown_key: 'it was sealed with a key that is not known here. Workers need a new key before clients use it',
  tenant: 'it belongs to another tenant',
  job: 'it belongs to another job',
  what: 'it is a job in place of an answer, or the reverse',
};

import type { RunWarning } from '../../protocol/methods.ts';
import type { Program } from '../read/read.ts';

export function differencesOf(_program: Program): RunWarning[] {
  return [];
}

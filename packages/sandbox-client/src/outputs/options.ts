import { resolve } from 'node:path';
import * as z from 'zod/mini';
import { OutputFolder } from './folder.ts';

const MiB = 1024 * 1024;
const folder = z.string().check(z.minLength(1));
const most = (ceiling: number): z.ZodMiniNumber<number> => z.int().check(z.gte(1), z.lte(ceiling));

/** Where scripts keep files by `save`: a folder, or a folder with limits for each run. Sizes in bytes. */
export type OutputsOption =
  | string
  | {
      folder: string;
      /** The most bytes of all files of one run. Default: 256 MiB. */
      maxBytes?: number | undefined;
      /** How many files one run may save. Default: 100. */
      maxFiles?: number | undefined;
    };

export const outputsSchema = z.union([
  folder,
  z.strictObject({ folder, maxBytes: z.optional(most(16 * 1024 * MiB)), maxFiles: z.optional(most(10_000)) }),
]);

export interface OutputLimits {
  maxBytes: number;
  maxFiles: number;
}

/** A folder for files of scripts, and what each run may put there. */
export interface Outputs {
  folder: OutputFolder;
  limits: OutputLimits;
}

/**
 * The folders are shared by the process, because a tool may replace its sandbox, and scripts in the next one read what
 * was saved in the first.
 */
const folders = new Map<string, OutputFolder>();

/** @param option checked already */
export function openOutputs(option: OutputsOption): Outputs {
  const {
    folder: path,
    maxBytes = 256 * MiB,
    maxFiles = 100,
  } = typeof option === 'string' ? { folder: option } : option;
  const absolute = resolve(path);
  const known = folders.get(absolute) ?? new OutputFolder(absolute);
  folders.set(absolute, known);
  return { folder: known, limits: { maxBytes, maxFiles } };
}

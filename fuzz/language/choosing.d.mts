import type { Checked } from '../campaign.mjs';

export function openChoosing(options: { programs?: number }): {
  laws: Record<string, (which: { seed: number; numRuns: number }) => Promise<Checked>>;
  batchRuns: number;
  batches: number;
  remains: () => Promise<never[]>;
  close: () => Promise<void>;
  programs: () => { tried: number; chosen: number; threw: number; wrong: number };
};

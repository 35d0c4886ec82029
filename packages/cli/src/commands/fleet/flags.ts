export const actions = ['status', 'key'] as const;
export type FleetAction = (typeof actions)[number];

/** As typed. */
export interface FleetFlags {
  queue?: string;
  keys?: string;
  id?: string;
  watch?: boolean;
  json?: boolean;
}

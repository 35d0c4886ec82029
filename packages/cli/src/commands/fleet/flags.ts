export const actions = ['status', 'key'] as const;
export type FleetAction = (typeof actions)[number];

/** The flags as they were typed. */
export interface FleetFlags {
  queue?: string;
  keys?: string;
  id?: string;
  watch?: boolean;
  json?: boolean;
}

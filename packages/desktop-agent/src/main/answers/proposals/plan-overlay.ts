import type { Plan } from '../../../changes/index.ts';
import type { Overlay } from '../../context/index.ts';

/** A plan, for what reads the app as it would be after it. */
export function overlayOfPlan({ effects }: Plan): Overlay {
  return {
    deletes: effects.flatMap((effect) => (effect.kind === 'delete' ? [effect.path] : [])),
    renames: effects.flatMap((effect) =>
      effect.kind !== 'delete' && effect.from !== undefined ? [{ from: effect.from, to: effect.path }] : [],
    ),
    writes: effects.flatMap((effect) =>
      effect.kind === 'write' ? [{ path: effect.path, content: effect.content }] : [],
    ),
  };
}

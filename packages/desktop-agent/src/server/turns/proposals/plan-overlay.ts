import type { Plan } from '../../changes/index.ts';
import type { Overlay } from '../../context/index.ts';

/** A plan as an overlay, to read the app as it would be after the plan. */
export function overlayOfPlan({ effects }: Plan): Overlay {
  const renames = effects.flatMap((effect) =>
    effect.kind !== 'delete' && effect.from !== undefined ? [{ from: effect.from, to: effect.path }] : [],
  );
  const moved = new Set(renames.map(({ from }) => from));
  return {
    // The rename of a moved file empties its old place. A deletion would come first, and there would be nothing to move.
    deletes: effects.flatMap(({ kind, path }) => (kind === 'delete' && !moved.has(path) ? [path] : [])),
    renames,
    writes: effects.flatMap((effect) =>
      effect.kind === 'write' ? [{ path: effect.path, content: effect.content }] : [],
    ),
  };
}

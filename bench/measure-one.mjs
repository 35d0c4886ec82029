// Measures one figure in this process and sends the result to the parent. Started by `session.mjs`.
import { figures } from './figures/index.mjs';
import { growth } from './growth/index.mjs';

process.once('message', async ({ name, setting }) => {
  const { measure } = await { ...figures, ...growth }[name].load();
  const progress = (text) => process.send({ progress: text });
  const result = await measure({ ...setting, progress });
  process.send({ result }, () => process.disconnect());
});
// Whoever asked is gone.
process.once('disconnect', () => process.exit());

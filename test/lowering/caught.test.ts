import { expect, it } from 'vitest';
import { expectAsInV8, run } from './support.ts';

it.each([
  'try { const x1 = 5; x1(); } catch (e) { e.name }',
  'try { const x2 = 5; x2(); } catch (e) { e instanceof TypeError }',
  'try { const [a] = {}; } catch ({ name }) { name }',
  'try { for (const x of 5) x; } catch (e) { e.name }',
  'try { throw new RangeError("r"); } catch ({ name, message }) { [name, message] }',
  'try { throw "text"; } catch (e) { e }',
  'try { throw new Error("mine"); } catch (e) { [e.name, e.message] }',
  'try { null.x; } catch { "none" }',
  'const log = []; try { try { throw 1; } finally { log.push("f"); } } catch (e) { log.push(e); } log',
  'try { throw 1; } catch (e) { e = 2; e }',
  'try { throw 1; } catch (e) { }',
])('%s', (script) => expectAsInV8(script));

it('what the engine does not do is no error that a script catches', async () => {
  const refused = expect.objectContaining({ code: 'script_error' }) as Error;
  await expect(run('let seen; try { Object.keys(new Map()); } catch (e) { seen = e.name; } seen')).rejects.toEqual(
    refused,
  );
  await expect(run('let seen; try { "x".anchor("y"); } catch { seen = "none"; } seen')).rejects.toEqual(refused);
});

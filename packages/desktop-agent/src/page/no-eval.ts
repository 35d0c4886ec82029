// This must be imported before anything makes a schema. zod compiles its checks with `Function` if it can, and tries to find
// that out. The page's policy forbids `Function`, and a browser reports each try.
import * as z from 'zod';

z.config({ jitless: true });

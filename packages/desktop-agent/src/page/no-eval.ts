// Imported before anything that makes a schema: zod compiles its checks with `Function` where it may, and to find out it
// tries. The page's policy forbids it, and a browser reports each try.
import * as z from 'zod';

z.config({ jitless: true });

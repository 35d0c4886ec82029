import { archives } from './archives.mjs';
import { exports } from './exports.mjs';
import { pages } from './pages.mjs';
import { readings } from './readings.mjs';
import { settings } from './settings.mjs';
import { shop } from './shop.mjs';
import { survey } from './survey.mjs';
import { tills } from './tills.mjs';
import { workbook } from './workbook.mjs';

/** Files of the formats that other programs write, and what is kept of them. */
export const formats = { workbook, shop, readings, tills, archives, settings, pages, exports, survey };

import type { Rule } from '../../rule.ts';
import { classes } from './declarations.ts';
import { construction, privates, superRule, thisInConstructor } from './inside.ts';
import { classMembers } from './members.ts';

export { classHelpers } from './helpers.ts';

export const classRules: Rule[] = [classes, thisInConstructor, superRule, privates, ...classMembers, construction];

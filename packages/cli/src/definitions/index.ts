import type { Definition } from './command-context.ts';
import { defineAttach } from './attach.ts';
import { defineClean } from './clean.ts';
import { defineCompletion } from './completion.ts';
import { defineDoctor } from './doctor.ts';
import { defineMcp } from './mcp.ts';
import { defineLs } from './ls.ts';
import { defineMessage } from './message.ts';
import { defineRecipes } from './recipes.ts';
import { defineRepl } from './repl.ts';
import { defineRun } from './run.ts';
import { defineServe } from './serve.ts';
import { defineValidate } from './validate.ts';

/** Every command, in the order of the help. */
export const definitions: readonly Definition[] = [
  defineRun,
  defineRepl,
  defineAttach,
  defineLs,
  defineClean,
  defineMessage,
  defineRecipes,
  defineMcp,
  defineServe,
  defineValidate,
  defineDoctor,
  defineCompletion,
];

export const programHelp = `
Each command has its own help with examples: mustard-sandbox run --help

Examples:
  $ mustard-sandbox run count.js --attach server.log
  $ echo '6 * 7' | mustard-sandbox run -
  $ mustard-sandbox repl --root .
  $ mustard-sandbox attach server.log
  $ mustard-sandbox recipes top-errors | mustard-sandbox run - --attach server.log
  $ mustard-sandbox validate count.js
  $ mustard-sandbox mcp --root .
  $ mustard-sandbox serve --allow-root /srv/logs
  $ mustard-sandbox doctor`;

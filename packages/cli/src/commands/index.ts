import type { Definition } from './command-context.ts';
import { defineAttach } from './attach/definition.ts';
import { defineClean } from './clean/definition.ts';
import { defineCompletion } from './completion/definition.ts';
import { defineDoctor } from './doctor/definition.ts';
import { defineMcp } from './mcp/definition.ts';
import { defineFleet } from './fleet/definition.ts';
import { defineFunctions } from './functions/definition.ts';
import { defineLs } from './ls/definition.ts';
import { defineMessage } from './message/definition.ts';
import { defineRecipes } from './recipes/definition.ts';
import { defineRepl } from './repl/definition.ts';
import { defineRun } from './run/definition.ts';
import { defineRuns } from './runs/definition.ts';
import { defineServe } from './serve/definition.ts';
import { defineValidate } from './validate/definition.ts';
import { defineWorker } from './worker/definition.ts';

/** Every command, in the order of the help. */
export const definitions: readonly Definition[] = [
  defineRun,
  defineRepl,
  defineAttach,
  defineLs,
  defineClean,
  defineMessage,
  defineRecipes,
  defineFunctions,
  defineMcp,
  defineRuns,
  defineServe,
  defineWorker,
  defineFleet,
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

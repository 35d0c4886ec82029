const exitCodesHelp = `
Exit codes:
  0  done
  1  the script's fault: syntax, an exception, a limit, something it may not read
  2  usage: a wrong option, a file that is not there
  3  the time was over, or the run was cancelled
  4  the sidecar's fault: it crashed, or the engine is not available`;

/** What follows the options in each command's help. */
export const helpTexts = {
  program: `
Examples:
  $ mustard-sandbox run count.js --attach server.log
  $ echo '6 * 7' | mustard-sandbox run -
  $ mustard-sandbox recipes top-errors | mustard-sandbox run - --attach server.log
  $ mustard-sandbox validate count.js
  $ mustard-sandbox doctor
${exitCodesHelp}`,
  run: `
A script can call read_file(path, { start, length }), list_files(dir) and file_stats(path). Its value is that of
its last statement, or of a return at the end; it goes to stdout. What it logs and the statistics go to stderr.

With --json the object is
  { "ok": true, "value", "executionMs", "instructionsUsed", "heapBytesUsed", "hostCalls", "bytesRead" } or
  { "ok": false, "error": { "code", "message", "details" } }
and the value is JSON: a value undefined is null; inside it NaN and the infinities are null, -0 is 0, and
undefined is left out of objects. Without --json, objects and arrays are printed as JSON, anything else as it is.

Examples:
  $ mustard-sandbox run count.js --attach server.log
  $ mustard-sandbox run count.js --attach today=logs/server.log --attach yesterday=old/server.log
  $ mustard-sandbox run search.js --root src --input 'word="TODO"' --input limit=20
  $ echo 'file_stats("attachments:server.log").size' | mustard-sandbox run - --attach server.log --json
  $ mustard-sandbox run slow.js --root . --timeout 30s --heap 256mb
${exitCodesHelp}`,
  validate: `
Exits with 0 when the script compiles and with 1 when it does not. With --json the object is
  { "ok": true, "diagnostics": [] } or
  { "ok": false, "error": the first one, "diagnostics": [{ "code", "message", "location", "frame" }] }

Examples:
  $ mustard-sandbox validate count.js
  $ mustard-sandbox validate - --json < count.js`,
  recipes: `
Each script says in its first lines what it does, its inputs with their defaults, and how it is run. With --json the
object is
  { "ok": true, "recipes": [{ "name", "description", "notes", "inputs", "example" }] } or, for one of them,
  { "ok": true, "recipe": { the same, and "script" } }

Examples:
  $ mustard-sandbox recipes
  $ mustard-sandbox recipes tail > tail.js
  $ mustard-sandbox recipes top-errors | mustard-sandbox run - --attach server.log --input top=3
  $ mustard-sandbox recipes csv-group-by --json`,
  doctor: `
Exits with 0 when a script ran, and with 4 and the reason when none could. With --stress it exits with 4 as well
when one of the attempts to hurt the host was not contained.

Examples:
  $ mustard-sandbox doctor
  $ mustard-sandbox doctor --stress
  $ mustard-sandbox doctor --json`,
} as const;

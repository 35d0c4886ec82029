// Loaded into a sidecar before its program: at its end it writes what V8 has compiled of each bundle by then.
const { writeFileSync } = require('node:fs');
const vm = require('node:vm');

/** @type {Map<string, vm.Script>} */
const scripts = new Map();

vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, { ...options, cachedData: undefined });
    scripts.set(options.filename, this);
  }
};

process.on('exit', () => {
  for (const [path, script] of scripts) writeFileSync(`${path}.new`, script.createCachedData());
});

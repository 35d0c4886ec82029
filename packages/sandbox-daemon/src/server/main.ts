#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { forgetFlags } from '../v8-flags.ts';
import { loadCompiled } from './compiled.ts';

forgetFlags();
loadCompiled(fileURLToPath(new URL('./sidecar.cjs', import.meta.url)));

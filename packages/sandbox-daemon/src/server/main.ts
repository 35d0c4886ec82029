#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { loadCompiled } from './compiled.ts';

loadCompiled(fileURLToPath(new URL('./sidecar.cjs', import.meta.url)));

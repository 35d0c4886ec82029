import fc from 'fast-check';
import { runs } from './full.ts';

// For each that does not say by itself how often it is tried.
fc.configureGlobal({ ...fc.readConfigureGlobal(), ...runs(100) });

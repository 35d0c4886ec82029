export { findProblems } from './find-problems.ts';

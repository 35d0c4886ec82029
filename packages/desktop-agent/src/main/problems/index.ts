export { findProblems, type FindProblemsOptions } from './find-problems.ts';

// What is loaded with its first use: git and what it needs takes longer to load than the program to start.
export const loadGit = () => import('./git/index.ts');
export const loadChanges = () => import('./changes/index.ts');

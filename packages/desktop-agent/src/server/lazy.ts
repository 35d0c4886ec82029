// Loads git at its first use, because git and what it needs take longer to load than the rest of the program.
export const loadGit = () => import('./git/index.ts');
export const loadChanges = () => import('./changes/index.ts');

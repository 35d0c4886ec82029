// Peers that `npm run bench:peers` installs. Where they are not installed, their types are not there either.
declare module '@ai-sdk/code-mode';
declare module '@pydantic/monty';
declare module 'quickjs-emscripten';
declare module 'run';

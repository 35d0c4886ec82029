// The floor for anything that talks to a child over pipes.
process.stdin.on('data', (chunk) => process.stdout.write(chunk));

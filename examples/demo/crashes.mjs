/** Scripts that take down, or hang, whatever process the engine runs in. `codes`: how that may end for the caller. */
export const crashes = [
  {
    what: 'one allocation of 500 MB',
    script: '"a".repeat(500000000).length',
    // Where the system has no limit for it (Windows), the watchdog ends the process by what it holds.
    codes: ['sidecar_crashed', 'timeout'],
  },
  {
    what: 'a native recursion, 20,000 calls deep',
    script: 'let f = () => 1; for (let i = 0; i < 20000; i++) f = f.bind(null, i); f()',
    codes: ['sidecar_crashed', 'timeout'],
  },
  {
    what: 'a native operation that does not end',
    script:
      'let p = 1; for (let i = 0; i < 300000; i++) { const q = p; p = Promise.resolve(q).then(() => q); } await p',
    codes: ['timeout', 'limit_exceeded', 'sidecar_crashed'],
  },
];

/** A timer of this process. Were the engine in here, the timer would stand still. */
export function startHeartbeat() {
  let last = performance.now();
  let longestMs = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  }, 10).unref();
  return {
    stop() {
      clearInterval(timer);
      return longestMs;
    },
  };
}

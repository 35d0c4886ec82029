// The types of WebAssembly that are used here. TypeScript has them only in its library for browsers, which this package
// does not use.
declare namespace WebAssembly {
  interface Module {
    readonly [Symbol.toStringTag]: string;
  }
  const Module: {
    new (bytes: BufferSource): Module;
    customSections(module: Module, name: string): ArrayBuffer[];
    imports(module: Module): { module: string; name: string }[];
  };
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: object;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class RuntimeError extends Error {}
}
type BufferSource = ArrayBufferView | ArrayBuffer;

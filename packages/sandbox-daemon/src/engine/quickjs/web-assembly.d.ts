// What is used of WebAssembly's own types: they stand in the library of browsers, which is none of this package's.
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

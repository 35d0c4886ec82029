// What is used of WebAssembly's own types: they stand in the library of browsers, which is none of this package's.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: BufferSource);
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
}
type BufferSource = ArrayBufferView | ArrayBuffer;

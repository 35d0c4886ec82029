// Pictures of messages, and what only says that it is one.
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));

/** 2 × 1 pixels. */
const png = bytesOf('iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGO4s85KPdsSAAsBApD/n/nQAAAAAElFTkSuQmCC');
/** The same file, which says that it has 30,000 × 30,000 pixels: a browser that believed it would need 3.6 GB. */
const bomb = png.slice();
new DataView(bomb.buffer).setUint32(16, 30_000);
new DataView(bomb.buffer).setUint32(20, 30_000);

const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>globalThis.pwned = true</script></svg>';

/** By the name of the file; all of them are attached as `image/png`. */
export const attached: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  'shop.png': png,
  'bomb.png': bomb,
  'document.png': new TextEncoder().encode(script),
  'empty.png': new Uint8Array(),
};

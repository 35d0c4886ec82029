declare global {
  // The name by which libraries that add style elements look for it.
  var __webpack_nonce__: string | undefined;
}

/** Lets a dialog's lock of scrolling past the page's policy, which takes style elements with the nonce of this page. */
export function takeStyleNonce(): void {
  const { nonce } = document.querySelector<HTMLLinkElement>('link[nonce]') ?? {};
  if (nonce !== undefined && nonce !== '') globalThis.__webpack_nonce__ = nonce;
}

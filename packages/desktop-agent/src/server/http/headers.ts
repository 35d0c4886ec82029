/**
 * The headers of every answer. `Cross-Origin-Embedder-Policy` is not among them, because an app in the preview's frame would
 * have to send it too, and could then not show all that it shows elsewhere. The policy below lets in no other origin.
 */
const common: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};

/**
 * The policy allows nothing inline and no `eval`. If a text of the model got into the page as markup, it would still run
 * nothing, load nothing and send nothing.
 *
 * @param styleNonce lets the page's editor add style elements that carry it. It differs for each answer
 * @param previewPort the port of the apps that the page shows in a frame
 */
export function securityHeaders(styleNonce?: string, previewPort?: number): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styleNonce === undefined ? '' : ` 'nonce-${styleNonce}'`}`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    ...(previewPort === undefined ? [] : [`frame-src http://*.localhost:${previewPort}`]),
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return { ...common, 'content-security-policy': policy.join('; ') };
}

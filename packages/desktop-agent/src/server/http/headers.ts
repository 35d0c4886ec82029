/**
 * Of every answer. Without `Cross-Origin-Embedder-Policy`: an app in the frame of the preview would have to send it, too, and
 * could then not show what it shows without the preview. The policy below lets nothing else of another origin in.
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
 * Nothing inline and no `eval`: a text of the model that slipped into the page as markup still runs nothing, loads nothing
 * and sends nothing away.
 *
 * @param styleNonce lets the page add style elements that carry it, as its editor does. Different for each answer
 * @param previewPort where the apps are that the page shows in a frame
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

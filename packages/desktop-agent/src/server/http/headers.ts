/** Of every answer. */
const common: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
};

/**
 * Nothing inline and no `eval`: a text of the model that slipped into the page as markup still runs nothing, loads nothing
 * and sends nothing away.
 *
 * @param styleNonce lets the page add style elements that carry it, as its editor does. Different for each answer
 */
export function securityHeaders(styleNonce?: string): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${styleNonce === undefined ? '' : ` 'nonce-${styleNonce}'`}`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ];
  return { ...common, 'content-security-policy': policy.join('; ') };
}

/** Whether an `If-None-Match` header names the entity tag. Weak comparison (RFC 9110 section 13.1.2): proxies that compress weaken tags. */
export function isKnownTag(header: string | undefined, tag: string): boolean {
  return (header ?? '').split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim()))
}

/** The cookie of a session. */

/** With the prefix `__Host-`, browsers take the cookie from this host only, over TLS only (RFC 6265bis). */
export function nameCookie(publicUrl: string, name = 'plimsoll_session'): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=')
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim()
  }
  return undefined
}

interface Cookie {
  name: string
  value: string
  /** 0: the browser forgets it. */
  maxAgeSeconds: number
}

/** The header Set-Cookie. Lax: other sites cannot send it with anything but a link that a person follows. */
export function setCookie(publicUrl: string, { name, value, maxAgeSeconds }: Cookie): string {
  const secure = isSecure(publicUrl) ? '; Secure' : ''
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}

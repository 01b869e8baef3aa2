/** Which proxy a request goes through, as curl and most clients read HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  http: string | undefined
  https: string | undefined
  /** Hosts, domains (`.corp.example`, also their subdomains), `host:port`, or `*`. */
  none: readonly string[]
}

export function findProxy(url: URL, { http, https, none }: ProxySettings): string | undefined {
  const proxy = url.protocol === 'https:' ? https : http
  return proxy === undefined || none.some((entry) => isExempt(url, entry)) ? undefined : proxy
}

function isExempt(url: URL, entry: string): boolean {
  if (entry === '*') return true
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, '')
  const [, name = '', onPort] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
  const wanted = entry.split(':').length > 2 ? entry.toLowerCase() : name
  if (onPort !== undefined && wanted === name && onPort !== port) return false
  return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`))
}

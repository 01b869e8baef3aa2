/** The `.meta` file beside each of NVD's feeds (nvd.nist.gov/vuln/data-feeds): lines of name and value. */
export interface NvdMeta {
  lastModified: string
  /** Of the unpacked feed, in lower case. */
  sha256: string
}

export function parseNvdMeta(text: string): NvdMeta | undefined {
  const values = new Map(
    text.split(/\r?\n/).flatMap((line): [string, string][] => {
      const at = line.indexOf(':')
      return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]]
    }),
  )
  const sha256 = values.get('sha256')?.toLowerCase() ?? ''
  const time = new Date(values.get('lastModifiedDate') ?? '')
  if (!/^[0-9a-f]{64}$/.test(sha256) || Number.isNaN(time.getTime())) return undefined
  return { lastModified: time.toISOString(), sha256 }
}

/** How far a feed was read: when it was made, and what it was. */
export function nvdPosition({ lastModified, sha256 }: NvdMeta): string {
  return `${lastModified} ${sha256}`
}

export function nvdPositionTime(position: string | undefined): string | undefined {
  return position?.split(' ')[0]
}

/** When a feed's file says it was made. */
import { outlineJson } from '../../formats/advisories/json-outline.ts'
import { timeAt } from '../../formats/advisories/record-reader.ts'
import type { FeedSource } from '../../formats/feed-files.ts'

/** Where each source states it at the beginning of its files; OSV and the CVE List do not. */
const MEMBERS: Partial<Record<FeedSource, string>> = {
  nvd: 'timestamp',
  kev: 'dateReleased',
  epss: 'score_date',
}

export function feedTimeOf(source: FeedSource, head: Uint8Array): string | undefined {
  const member = MEMBERS[source]
  if (member === undefined) return undefined
  const text = new TextDecoder().decode(head).trimStart()
  const stated = text.startsWith('#')
    ? /^#.*\bscore_date:([^,\s]+)/.exec(text)?.[1]
    : outlineJson(text).names.get(member)
  return timeAt({ stated }, 'stated', '')
}

/** What is to be fetched of a supplier's list, given what is known of it. */
import { formatCountOf, formatNumber } from '../../formats/counts.ts'
import type { ListedDocument } from '../feeds/index.ts'
import type { KnownDocument } from './documents-store.ts'
import { EVERY_MS, MOST_DOCUMENTS_OF_FEED } from './limits.ts'

export interface WantedDocument extends ListedDocument {
  known: KnownDocument | undefined
}

export interface ReadingPlan {
  /** Changed ones first, then new ones from the newest on, then those that failed. */
  wanted: WantedDocument[]
  /** Documents that the list no longer has. */
  gone: KnownDocument[]
  notices: string[]
}

/** So many may leave a list at once before that is taken for a fault of the list. */
const FEW_GONE = 20
const SHARE_GONE = 0.2

export function planReading(
  listed: ReadonlyMap<string, ListedDocument>,
  known: readonly KnownDocument[],
  now: Date,
): ReadingPlan {
  const notices: string[] = []
  const byUrl = new Map(known.map((one) => [one.url, one]))
  const left = known.filter(({ url }) => !listed.has(url))
  const isFault = left.length > FEW_GONE && left.length > known.length * SHARE_GONE
  if (isFault)
    notices.push(
      `The list lacks ${formatNumber(left.length)} of ${formatCountOf(known.length, 'document')} that it had; they stay in force, as this looks like a fault of the list.`,
    )
  const gone = isFault ? [] : left
  const all = [...listed.values()].map((one) => ({ ...one, known: byUrl.get(one.url) }))
  const isChanged = ({ at, known: kept }: WantedDocument) => kept?.listedAt.toISOString() !== at
  const changed = all.filter((one) => one.known && isChanged(one))
  const again = all.filter(
    (one) => one.known && !isChanged(one) && isWorthAnotherTry(one.known, now),
  )
  const fresh = all.filter((one) => !one.known).toSorted((a, b) => (a.at > b.at ? -1 : 1))
  const room = Math.max(0, MOST_DOCUMENTS_OF_FEED - (known.length - gone.length))
  if (fresh.length > room)
    notices.push(
      `The list has more than the ${formatCountOf(MOST_DOCUMENTS_OF_FEED, 'document')} that are kept of a feed; the newest are kept, and ${formatNumber(fresh.length - room)} are not fetched.`,
    )
  return { wanted: [...changed, ...fresh.slice(0, room), ...again], gone, notices }
}

function isWorthAnotherTry({ error, triedAt }: KnownDocument, now: Date): boolean {
  return error !== null && now.getTime() - triedAt.getTime() >= EVERY_MS
}

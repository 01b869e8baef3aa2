/** Which source's records a file holds, and when the file was made. */
import { outlineJson } from '../../../formats/advisories/json-outline.ts'
import { timeAt } from '../../../formats/advisories/record-reader.ts'
import { type FeedFile, type FeedSource, recogniseFeed } from '../../../formats/feed-files.ts'
import type { OpenedFile } from './files-service.ts'

/** Answers a reason for a file that holds no records of `source` (of any source, where that is undefined). */
export function recogniseFeedFile(
  file: Pick<OpenedFile, 'head' | 'failure'>,
  source: FeedSource | undefined,
): FeedFile | { reason: string } {
  const recognised = recognise(file.head)
  if ('source' in recognised)
    return source === undefined || source === recognised.source
      ? recognised
      : { reason: `holds records of ${recognised.source}, not of ${source}` }
  if (source !== undefined && file.failure) return { source, layout: 'values' }
  if (file.failure) return { reason: `cannot be read: ${file.failure.message}` }
  const text = new TextDecoder().decode(file.head).trimStart()
  if (source === undefined || !/^[[{]/.test(text)) return { reason: recognised.unsupported }
  const { isArray, isFirstLineWhole } = outlineJson(text)
  return { source, layout: isArray ? 'array' : isFirstLineWhole ? 'lines' : 'values' }
}

/** These first bytes are mostly enough; reading no more saves time where every record is a file of its own. */
const SHORT_HEAD_BYTES = 4 * 1024

function recognise(head: Uint8Array): ReturnType<typeof recogniseFeed> {
  const recognised = recogniseFeed(head.subarray(0, SHORT_HEAD_BYTES))
  return 'source' in recognised ? recognised : recogniseFeed(head)
}

/** The member in which a source states the time at the beginning of its files. OSV and the CVE List state none. */
const MEMBERS: Partial<Record<FeedSource, string>> = {
  nvd: 'timestamp',
  kev: 'dateReleased',
  epss: 'score_date',
  endoflife: 'generated_at',
}

/** When the file says it was made. */
export function readFeedTime(source: FeedSource, head: Uint8Array): string | undefined {
  const member = MEMBERS[source]
  if (member === undefined) return undefined
  const text = new TextDecoder().decode(head).trimStart()
  const stated = text.startsWith('#')
    ? /^#.*\bscore_date:([^,\s]+)/.exec(text)?.[1]
    : outlineJson(text).names.get(member)
  return timeAt({ stated }, 'stated', '')
}

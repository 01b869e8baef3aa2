/**
 * Records that most probably nobody knows yet, as rows of the tables themselves: staging and comparing them would take longer
 * than writing them.
 */
import type { Advisory } from '../../../formats/advisories/model.ts'
import { isCveId } from '../../../formats/advisories/record-reader.ts'
import { parseCopiedValues, copyRow } from './copy-text.ts'
import {
  ADVISORY_COLUMNS,
  type AdvisoryPlace,
  writeAdvisoryTexts,
  listAdvisoryValues,
  writeAffectedText,
  type KeyedText,
} from './rows.ts'

export const NEW_ADVISORY_COLUMNS = [...ADVISORY_COLUMNS, 'first_seen_at', 'changed_at'] as const
export const NEW_RECORD_COLUMNS = ['source', 'advisory_id', 'record'] as const
export const NEW_AFFECTED_COLUMNS = [
  'source',
  'advisory_id',
  'key',
  'product_key',
  'statements',
  'vulnerable_code',
] as const

/** One record. Its rows are in COPY's text format. */
export interface NewRecord {
  ordinal: number
  id: string
  isWithdrawn: boolean
  advisoryRow: string
  recordRow: string
  affectedRows: string[]
  keys: string[]
}

/** Many records; the lists of their members are in the same order. */
export interface NewRecords {
  ordinals: number[]
  ids: string[]
  areWithdrawn: boolean[]
  /** How many rows of `affected` each has. */
  affectedCounts: number[]
  /** All keys and product keys that they name, each once. */
  keys: string[]
  /** `advisories` and `records` have a row for each record, in the same order. */
  advisories: Uint8Array
  records: Uint8Array
  affected: Uint8Array
}

/** Such a record is in no group with others, and stands for the vulnerability with its id. */
export function isOfOneCve({ id, aliases }: Advisory): boolean {
  return isCveId(id) && aliases.length === 0
}

export function createNewRecord(
  advisory: Advisory,
  { ordinal, feedAt, textHash, writtenAt }: AdvisoryPlace & { writtenAt: string },
): NewRecord {
  const { id, source } = advisory
  const { keyed, recordJson, contentHash } = writeAdvisoryTexts(advisory)
  const values = listAdvisoryValues(advisory, { contentHash, textHash, feedAt })
  return {
    ordinal,
    id,
    isWithdrawn: advisory.withdrawnAt !== undefined,
    advisoryRow: copyRow([...values, writtenAt, writtenAt]),
    recordRow: copyRow([source, id, recordJson]),
    affectedRows: keyed.map(({ key, productKey, statements, vulnerableCode }) =>
      copyRow([source, id, key, productKey, statements, vulnerableCode]),
    ),
    keys: keyed.flatMap(listKeys),
  }
}

const listKeys = ({ key, productKey }: Pick<KeyedText, 'key' | 'productKey'>) =>
  productKey === undefined ? [key] : [key, productKey]

export function joinNewRecords(records: readonly NewRecord[]): NewRecords {
  return {
    ordinals: records.map(({ ordinal }) => ordinal),
    ids: records.map(({ id }) => id),
    areWithdrawn: records.map(({ isWithdrawn }) => isWithdrawn),
    affectedCounts: records.map(({ affectedRows }) => affectedRows.length),
    keys: [...new Set(records.flatMap(({ keys }) => keys))],
    advisories: Buffer.from(records.map(({ advisoryRow }) => advisoryRow).join('')),
    records: Buffer.from(records.map(({ recordRow }) => recordRow).join('')),
    affected: Buffer.from(records.flatMap(({ affectedRows }) => affectedRows).join('')),
  }
}

/** Takes known records out. Answers the others, and the rows of the known ones for the staging table. */
export function withoutKnown(
  all: NewRecords,
  isKnown: (id: string) => boolean,
): { unknown: NewRecords; known: string[] } {
  const unknown: NewRecord[] = []
  const known: string[] = []
  for (const record of splitRecords(all))
    if (isKnown(record.id)) known.push(writeStagedRow(record))
    else unknown.push(record)
  return { unknown: joinNewRecords(unknown), known }
}

function* splitRecords(all: NewRecords): Generator<NewRecord> {
  const advisories = splitLines(all.advisories)
  const records = splitLines(all.records)
  const affected = splitLines(all.affected)
  let read = 0
  for (const [index, id] of all.ids.entries()) {
    const affectedRows = affected.slice(read, (read += all.affectedCounts[index] ?? 0))
    yield {
      ordinal: all.ordinals[index] ?? 0,
      id,
      isWithdrawn: all.areWithdrawn[index] ?? false,
      advisoryRow: advisories[index] ?? '',
      recordRow: records[index] ?? '',
      affectedRows,
      keys: affectedRows.flatMap((row) => listKeys(parseKeyedText(row))),
    }
  }
}

/** Each with its line feed; those within values are escaped. */
function splitLines(rows: Uint8Array): string[] {
  return Buffer.from(rows)
    .toString()
    .split(/(?<=\n)/)
}

function writeStagedRow({ ordinal, advisoryRow, recordRow, affectedRows }: NewRecord): string {
  const values = parseValues(advisoryRow).slice(0, ADVISORY_COLUMNS.length)
  const [, , recordJson] = parseValues(recordRow)
  const affected = writeAffectedText(affectedRows.map(parseKeyedText))
  return copyRow([ordinal, ...values, recordJson, affected])
}

function parseKeyedText(affectedRow: string): KeyedText {
  const [, , key = '', productKey, statements = '[]'] = parseValues(affectedRow)
  return { key, productKey, statements, vulnerableCode: undefined }
}

const parseValues = (row: string) => parseCopiedValues(row.slice(0, -1))

/** CISA's catalogue of known exploited vulnerabilities (known_exploited_vulnerabilities_schema.json). */
import type { ParseOutcome } from './model.ts'
import {
  requireCveId,
  fault,
  readRecord,
  requireText,
  readText,
  type JsonObject,
} from './record-reader.ts'

export interface KevEntry {
  cveId: string
  vendorProject: string
  product: string
  vulnerabilityName: string | undefined
  /** Days, `2026-08-21`. */
  dateAdded: string
  dueDate: string | undefined
  /** Whether it is known to be used in ransomware campaigns. */
  ransomware: boolean
  notes: string | undefined
}

/** An element of the catalogue's `vulnerabilities[]`. */
export function parseKevEntry(json: unknown): ParseOutcome<KevEntry> {
  return readRecord(json, (record) => record['cveID'], readEntry)
}

function readEntry(entry: JsonObject): KevEntry {
  const dateAdded = dayAt(entry, 'dateAdded')
  if (dateAdded === undefined) throw fault('/dateAdded', 'is missing')
  return {
    cveId: requireCveId(entry, 'cveID', ''),
    vendorProject: requireText(entry, 'vendorProject', ''),
    product: requireText(entry, 'product', ''),
    vulnerabilityName: readText(entry, 'vulnerabilityName', ''),
    dateAdded,
    dueDate: dayAt(entry, 'dueDate'),
    ransomware: readText(entry, 'knownRansomwareCampaignUse', '')?.toLowerCase() === 'known',
    notes: readText(entry, 'notes', ''),
  }
}

function dayAt(entry: JsonObject, key: string): string | undefined {
  const day = readText(entry, key, '')
  if (day === undefined || day === '') return undefined
  const time = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(day) : undefined
  // An impossible day has no time, or becomes another day.
  if (time === undefined || Number.isNaN(time.getTime()) || !time.toISOString().startsWith(day))
    throw fault(`/${key}`, 'is not a date')
  return day
}

/** Cases from the field: an SBOM, the records that decide about it, and what the service answers. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { sql } from 'kysely'
import { describe, it } from 'vitest'
import { importFeeds } from '../src/features/advisories/index.ts'
import { matchChangedPackages } from '../src/features/matching/index.ts'
import type { TestApp } from './app.ts'
import { type Client, givenClient, givenFirmwareVersion, matchedSboms, upload } from './given.ts'

const cases = resolve(import.meta.dirname, '../../../shared/cases')

if (!existsSync(cases) && process.env['PLIMSOLL_REQUIRE_SHARED_DATA'] === '1')
  throw new Error(`The cases from the field are required but absent: ${cases}`)

/** A suite over one folder of the cases; skipped, saying so, where they are absent. */
export function describeFieldCase(name: string, suite: (folder: string) => void): void {
  if (existsSync(cases)) describe(`case ${name}`, () => suite(resolve(cases, name)))
  else it.skip(`case ${name} (skipped: ../shared/cases is absent)`)
}

/**
 * Imports the records of a folder as `admin feeds import` does, and has packages matched with them. `complete`: the ecosystems of which
 * the folder holds all records.
 */
export async function importRecords(
  { ctx }: TestApp,
  folder: string,
  options: { complete?: string[] } = {},
): Promise<void> {
  await importFeeds(ctx, { path: folder, ...options })
  const { rows } = await sql<{ revision: number }>`
    select last_value::int as revision from knowledge_revision`.execute(ctx.db)
  await matchChangedPackages(ctx, { revision: rows[0]?.revision ?? 0 })
}

/** A finding as the list of a firmware version shows it. */
export interface ListedFinding {
  id: string
  cveId: string
  componentName: string
  componentVersion: string | null
  confidence: 'High' | 'Medium' | 'Low'
  assessment: string
}

/** A firmware version with its SBOM, read and matched. The app needs a worker. */
export async function givenJudgedSbom(
  service: TestApp,
  file: string,
): Promise<{ client: Client; firmwareVersionId: string; findings: ListedFinding[] }> {
  const client = await givenClient(service)
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = [{ name: basename(file), bytes: readFileSync(file) }]
  await upload(service, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const response = await client.post(path, { limit: 1000 })
  return {
    client,
    firmwareVersionId,
    findings: response.json<{ findings: ListedFinding[] }>().findings,
  }
}

import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenFirmwareVersion, givenSbom } from '../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { importFeeds } from '../advisories/index.ts'
import { matchChangedPackages } from '../matching/index.ts'
import { matchFirmwareVersion } from '../findings/index.ts'
import { readNotJudged } from './service.ts'

let service: TestApp
beforeAll(async () => {
  service = await startTestApp()
})

/** A record of Debian about another package than the one of the test, or its withdrawal. */
async function importRecord({
  modified,
  isWithdrawn = false,
  complete = [],
  ecosystem = 'Debian:11',
}: {
  modified: string
  isWithdrawn?: boolean
  complete?: string[]
  ecosystem?: string
}) {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-distributions-'))
  const record = {
    id: 'DSA-1-1',
    modified,
    ...(isWithdrawn && { withdrawn: modified }),
    upstream: ['CVE-2024-2000'],
    affected: [
      {
        package: { ecosystem, name: 'other' },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '1.0-1' }] }],
      },
    ],
  }
  writeFileSync(join(folder, 'records.jsonl'), `${JSON.stringify(record)}\n`)
  await importFeeds(service.ctx, { path: folder, complete })
  const { rows } = await sql<{ revision: number }>`
    select last_value::int as revision from knowledge_revision`.execute(service.ctx.db)
  await matchChangedPackages(service.ctx, { revision: rows[0]?.revision ?? 0 })
}

it('packages of a distribution are judged when all its records were read, until the last one of the release goes', async () => {
  const { ctx } = service
  const { workspaceId } = await service.givenWorkspace()
  const version = { workspaceId, firmwareVersionId: await givenFirmwareVersion(ctx, workspaceId) }
  await givenAdvisory(ctx.db, {
    id: 'CVE-2024-1000',
    affected: [affectedIn('cpe:openssl:openssl', [{ fixed: '3.0' }], 'openssl')],
  })
  await givenSbom(ctx, {
    ...version,
    components: [
      { packageName: 'openssl', purl: 'pkg:deb/debian/openssl@1.1.1n-0?distro=debian-11.8' },
    ],
  })
  await matchFirmwareVersion(ctx, version)
  const state = async () => {
    const { rows } = await sql<{ confidence: string; notes: string[] }>`
      select confidence, evidence -> 0 -> 'notes' as notes
      from package_matches join package_match_evidence using (package_id, vulnerability_id)
      where until is null and vulnerability_id = 'CVE-2024-1000'`.execute(ctx.db)
    return { matches: rows, notJudged: await readNotJudged(ctx.db, version) }
  }

  const before = await state()
  await importRecord({ modified: '2024-01-01T00:00:00Z' })
  const stray = await state()
  await importRecord({ modified: '2024-01-02T00:00:00Z', complete: ['Debian'] })
  const between = await state()
  await importRecord({ modified: '2024-02-01T00:00:00Z', isWithdrawn: true })
  const after = await state()

  expect(before.matches).toEqual([
    {
      confidence: 'Low',
      notes: expect.arrayContaining(['no records of Debian 11 are loaded']) as unknown,
    },
  ])
  expect(before.notJudged).toEqual({
    componentCount: 1,
    notJudgedCount: 1,
    reasons: [{ reason: 'no records of Debian 11 are loaded', count: 1 }],
  })
  expect(stray).toEqual(before)
  expect(between.matches).toMatchObject([{ confidence: 'Medium' }])
  expect(between.notJudged).toMatchObject({ componentCount: 1, notJudgedCount: 0 })
  expect(after.matches).toMatchObject([{ confidence: 'Low' }])
})

it('records of an extended stream tell nothing of the release, even if all of them were read', async () => {
  const { ctx } = service
  const { workspaceId } = await service.givenWorkspace()
  const version = { workspaceId, firmwareVersionId: await givenFirmwareVersion(ctx, workspaceId) }
  await givenSbom(ctx, {
    ...version,
    components: [
      { packageName: 'zlib', purl: 'pkg:rpm/redhat/zlib@1.2.11-25.el8?distro=redhat-8.9' },
    ],
  })
  await matchFirmwareVersion(ctx, version)
  const complete = ['Red Hat']
  const reasonsAfter = async (ecosystem: string, modified: string) => {
    await importRecord({ ecosystem, modified, complete })
    return (await readNotJudged(ctx.db, version)).reasons
  }

  const unloaded = [{ reason: 'no records of Red Hat 8 are loaded', count: 1 }]
  expect(await reasonsAfter('Red Hat:rhel_aus:8.6::baseos', '2024-03-01T00:00:00Z')).toEqual(
    unloaded,
  )
  expect(await reasonsAfter('Red Hat:enterprise_linux:8::baseos', '2024-03-02T00:00:00Z')).toEqual(
    [],
  )
})

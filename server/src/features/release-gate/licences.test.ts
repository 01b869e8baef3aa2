/** What is kept of licences answers as the components do, also where a node of an older release changed them and counted nothing. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  countUncountedLicences,
  givenMatchedSbom,
  givenVersion,
} from '../../../test/given-findings.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { listGateFacts } from './marks-service.ts'
import { assessGate } from './service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const RULES = {
  allow: ['MIT', 'Apache-2.0'],
  deny: ['AGPL-3.0-only'],
  review: ['LGPL-2.1-only'],
  failOn: ['denied', 'notListed'],
}

const Licences = fc.constantFrom(
  ['MIT'],
  ['MIT', 'AGPL-3.0-only'],
  ['AGPL-3.0-only OR MIT'],
  ['AGPL-3.0-only'],
  ['LGPL-2.1-only'],
  ['LicenseRef-acme'],
  ['not an expression'],
  [],
)
const Documents = fc.array(fc.array(Licences, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 3,
})
const Change = fc.constantFrom('none', 'without rows', 'other licences', 'as SPDX', 'out of scope')

const describe = (licences: readonly (readonly string[])[]) =>
  licences.map((licenses, at) => ({ packageName: `part-${at}`, licenses: [...licenses] }))

/** As a node that knows nothing of what is kept changes the SBOMs of a version. */
async function changeAsOlderNode(version: Given, change: string): Promise<void> {
  const { workspaceId, firmwareVersionId } = version
  const { db } = test.ctx
  if (change === 'without rows') {
    await sql`delete from firmware_version_licences where firmware_version_id = ${firmwareVersionId}`.execute(
      db,
    )
    await sql`update firmware_versions set licences_of = null where id = ${firmwareVersionId}`.execute(
      db,
    )
    return
  }
  const { rows } = await sql<{ id: string }>`
    select id from sboms where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} order by id limit 1`.execute(
    db,
  )
  const id = rows[0]?.id ?? ''
  await sql`update sboms set parsed_at = parsed_at - interval '1 second' where id = ${id}`.execute(
    db,
  )
  if (change === 'other licences')
    await sql`update sbom_components set licenses = '{AGPL-3.0-only}' where sbom_id = ${id}`.execute(
      db,
    )
  if (change === 'as SPDX')
    await sql`update sboms set format = 'Spdx2Json' where id = ${id}`.execute(db)
  if (change === 'out of scope')
    await sql`update sbom_components set scope = 'test' where sbom_id = ${id} and node = 0`.execute(
      db,
    )
}

interface Given {
  workspaceId: string
  firmwareVersionId: string
}

async function givenDocuments(
  client: Client,
  documents: readonly (readonly (readonly string[])[])[],
): Promise<Given> {
  const [first = [], ...rest] = documents
  const version = await givenVersion(test.ctx, client.workspaceId, describe(first))
  for (const one of rest) await givenMatchedSbom(test.ctx, version, describe(one))
  return version
}

interface Judged {
  failingCount: number
  counts: Record<string, number>
  licences: { licence: string | null; outcome: string; componentCount: number }[]
}

/** What each answer says. The page reads the components, the others what is kept where it is counted. */
async function readAnswers(client: Client, { workspaceId, firmwareVersionId: id }: Given) {
  const page = (await client.get(`/firmware-versions/${id}/licences`)).json<Judged>()
  const counts = (await client.get(`/firmware-versions/${id}/component-counts`)).json<{
    licenceOutcomes: Record<string, number>
  }>().licenceOutcomes
  const gate = await assessGate(test.ctx, { workspaceId, firmwareVersionIds: [id] })
  const listed: Record<string, number> = {}
  for (const outcome of Object.keys(counts)) {
    const filter = { firmwareVersionIds: [id], licenceOutcomes: [outcome] }
    const answer = await client.post('/components/list', { filter })
    const { components } = answer.json<{ components: { licenceOutcome: string | null }[] }>()
    listed[outcome] = components.filter((one) => one.licenceOutcome === outcome).length
  }
  const facts = await listGateFacts(test.ctx, { workspaceId, firmwareVersionIds: [id] })
  const marked = facts.get(id)?.licences
  return { page, counts, gate, listed, marked }
}

it('counts by what is kept as the components say, counted or not, and never shows as passing what is not counted', async () => {
  await fc.assert(
    fc.asyncProperty(Documents, Change, async (documents, change) => {
      const client = await givenClient(test)
      await client.put('/licence-rules', { rules: RULES })
      await client.patch('/settings', { releaseGate: 'Block' })
      const version = await givenDocuments(client, documents)
      if (change !== 'none') await changeAsOlderNode(version, change)

      const before = await readAnswers(client, version)
      while ((await countUncountedLicences(test.ctx)) > 0);
      const after = await readAnswers(client, version)

      for (const { page, counts, gate, listed } of [before, after]) {
        expect(counts).toEqual(page.counts)
        expect(listed).toEqual(page.counts)
        expect(gate.failingLicenceCount).toBe(page.failingCount)
        expect(gate.blocked).toBe(page.failingCount > 0)
      }
      expect(after.page).toEqual(before.page)
      const { failingCount: failing, counts } = after.page
      const { unknown = 0 } = counts
      expect(after.marked).toEqual({ failing, unknown })
      expect(before.marked).toEqual(change === 'none' ? { failing, unknown } : null)
    }),
    { numRuns: propertyRuns(25) },
  )
})

it('counts again by itself what an older node left, also where all SBOMs are gone', async () => {
  const client = await givenClient(test)
  await client.put('/licence-rules', { rules: RULES })
  const version = await givenDocuments(client, [[['AGPL-3.0-only']]])
  const { firmwareVersionId: id, workspaceId } = version
  await sql`delete from sboms where workspace_id = ${workspaceId} and firmware_version_id = ${id}`.execute(
    test.ctx.db,
  )
  const keys = async () => {
    const { rows } = await sql<{ key: string }>`
      select key from firmware_version_licences where firmware_version_id = ${id}`.execute(
      test.ctx.db,
    )
    return rows.length
  }

  const before = await keys()
  while ((await countUncountedLicences(test.ctx)) > 0);

  expect([before, await keys()]).toEqual([1, 0])
})

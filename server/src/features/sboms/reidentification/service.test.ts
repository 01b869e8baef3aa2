/** What an upgrade does to inventories of older parsers and rules, with real parser processes and jobs. */
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../../test/given.ts'
import { affectedIn, givenAdvisory } from '../../../../test/given-knowledge.ts'
import { IDENTITY_RULES_VERSION } from '../../../formats/identity.ts'
import type { Actor } from '../../../platform/actor.ts'
import { nameSbomBlob } from '../stored-file.ts'
import { PARSER_VERSION } from '../parsing/service.ts'
import { enqueueOutdatedSboms, refreshOutdatedSboms, requestReparse } from './service.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
  await givenAdvisory(test.ctx.db, {
    id: 'CVE-2026-10002',
    affected: [affectedIn('cpe:acme:thing', [{ fixed: '2.0' }])],
  })
  client = await givenClient(test)
})

const OPERATOR: Actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined }
const THING = { type: 'library', name: 'thing', cpe: 'cpe:2.3:a:acme:thing:1.0:*:*:*:*:*:*:*' }

async function givenSbom(components: object[]) {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
  const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
  await upload(test, client, { firmwareVersionId, files })
  const [sbom] = await matchedSboms(client, firmwareVersionId)
  return { firmwareVersionId, sbomId: sbom?.id ?? '' }
}

async function listed(sbomId: string) {
  const response = await client.post(`/sboms/${sbomId}/components/list`, {})
  return response.json<{ components: { id: string; packageName: string }[] }>().components
}

async function findingIds(firmwareVersionId: string) {
  const path = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const response = await client.post(path, {})
  return response.json<{ findings: { id: string }[] }>().findings.map(({ id }) => id)
}

async function versionsOf(sbomId: string) {
  return test.ctx.db
    .selectFrom('sboms')
    .select(['parserVersion', 'identityVersion', 'parsingState', 'warnings'])
    .where('workspaceId', '=', client.workspaceId)
    .where('id', '=', sbomId)
    .executeTakeFirstOrThrow()
}

/** Makes an SBOM look as if an older release had read it. */
async function age(sbomId: string, versions: { parserVersion?: number; identityVersion?: number }) {
  await test.ctx.db
    .updateTable('sboms')
    .set(versions)
    .where('workspaceId', '=', client.workspaceId)
    .where('id', '=', sbomId)
    .execute()
}

async function facts(firmwareVersionId: string) {
  const rows = await test.ctx.db
    .selectFrom('firmwareVersionPackages')
    .select(['cause', 'endedCause'])
    .where('workspaceId', '=', client.workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('since')
    .execute()
  return rows.map(({ cause, endedCause }) => [cause, endedCause])
}

async function untilCurrent(sbomId: string) {
  for (;;) {
    const { parserVersion, identityVersion } = await versionsOf(sbomId)
    if (parserVersion === PARSER_VERSION && identityVersion === IDENTITY_RULES_VERSION) return
    await delay(50)
  }
}

it('parsed again, a file gives the same components and findings, ids and decisions included', async () => {
  const { firmwareVersionId, sbomId } = await givenSbom([THING, { ...THING, name: 'alone' }])
  const [before, [findingId = '']] = [await listed(sbomId), await findingIds(firmwareVersionId)]
  await client.put(`/vulnerability-findings/${findingId}/ignore`, { isIgnored: true })

  const queued = await requestReparse(test.ctx, { firmwareVersionId, actor: OPERATOR })
  await untilCurrent(sbomId)

  expect(queued).toBe(1)
  expect(await listed(sbomId)).toEqual(before)
  expect(await findingIds(firmwareVersionId)).toEqual([findingId])
  expect(await facts(firmwareVersionId)).toEqual([['SbomParsed', null]])
})

it('components of an older parser become those of this one, with the cause', async () => {
  const { firmwareVersionId, sbomId } = await givenSbom([THING])
  const [component] = await listed(sbomId)
  await test.ctx.db
    .updateTable('sbomComponents')
    .set({ packageName: 'misread', packageId: null })
    .where('workspaceId', '=', client.workspaceId)
    .where('sbomId', '=', sbomId)
    .execute()
  await age(sbomId, { parserVersion: 1 })

  await enqueueOutdatedSboms(test.ctx)
  await untilCurrent(sbomId)

  expect(await listed(sbomId)).toMatchObject([{ packageName: 'thing' }])
  expect((await listed(sbomId))[0]?.id).not.toBe(component?.id)
  expect(await findingIds(firmwareVersionId)).toHaveLength(1)
})

it('components identified by older rules are identified anew without being parsed', async () => {
  const { firmwareVersionId, sbomId } = await givenSbom([THING])
  const before = await listed(sbomId)
  await test.ctx.db
    .updateTable('sbomComponents')
    .set({ packageId: null, notMatchedReason: 'no identifier' })
    .where('workspaceId', '=', client.workspaceId)
    .where('sbomId', '=', sbomId)
    .execute()
  await test.ctx.db.transaction().execute((tx) =>
    test.ctx.reactions.inventoryChanged(test.ctx, tx, {
      workspaceId: client.workspaceId,
      firmwareVersionId,
      cause: 'RulesChanged',
    }),
  )
  await age(sbomId, { identityVersion: 1 })

  await enqueueOutdatedSboms(test.ctx)
  await untilCurrent(sbomId)

  expect((await listed(sbomId)).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  expect(await facts(firmwareVersionId)).toEqual([
    ['SbomParsed', 'RulesChanged'],
    ['RulesChanged', null],
  ])
})

it('what a newer release has made stays as it is', async () => {
  const { sbomId } = await givenSbom([THING])
  const newer = { parserVersion: PARSER_VERSION + 1, identityVersion: IDENTITY_RULES_VERSION + 1 }
  await age(sbomId, newer)

  const { workspaceId } = client
  const { signal } = new AbortController()
  await refreshOutdatedSboms(test.ctx, { workspaceId, signal })

  expect(await versionsOf(sbomId)).toMatchObject(newer)
})

it('a file that cannot be read any more keeps its inventory, and says so', async () => {
  const { firmwareVersionId, sbomId } = await givenSbom([THING])
  const [findingId] = await findingIds(firmwareVersionId)
  const { workspaceId } = client
  await test.ctx.blobs.delete(nameSbomBlob({ workspaceId, firmwareVersionId, sbomId }))

  await requestReparse(test.ctx, { workspaceId, firmwareVersionId, actor: OPERATOR })
  await untilCurrent(sbomId)

  const { parsingState, warnings } = await versionsOf(sbomId)
  expect(parsingState).toBe('Succeeded')
  expect(warnings).toEqual([expect.stringContaining('from an earlier version of the parser')])
  expect(await findingIds(firmwareVersionId)).toEqual([findingId])
})

it('a file that failed is tried again', async () => {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = [{ name: 'image.json', bytes: '{' }]
  await upload(test, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)

  const queued = await requestReparse(test.ctx, { firmwareVersionId, actor: OPERATOR })

  expect(queued).toBe(1)
  const [sbom] = await matchedSboms(client, firmwareVersionId)
  expect(sbom?.parsingState).toBe('Failed')
})

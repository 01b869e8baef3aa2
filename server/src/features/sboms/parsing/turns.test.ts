/** Workspaces take turns at the parsers, and what takes too long is tried once more. */
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp } from '../../../../test/app.ts'
import { givenClient, givenFirmwareVersion, parsedSboms, upload } from '../../../../test/given.ts'
import { readConfig } from '../../../config/config.ts'
import { matchFirmwareVersion } from '../../findings/index.ts'

const { sboms } = readConfig({})

function documentOf(name: string): string {
  const components = [{ type: 'library', name, version: '1', purl: `pkg:npm/${name}@1` }]
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components })
}

it('parses a document of one workspace before the many that another sent earlier', async () => {
  const test = await startTestApp({ sboms: { ...sboms, parsers: 1 } })
  const [many, one] = [await givenClient(test), await givenClient(test)]
  const versions = [await givenFirmwareVersion(many), await givenFirmwareVersion(one)] as const
  for (const name of ['a', 'b', 'c', 'd'])
    await upload(test, many, {
      firmwareVersionId: versions[0],
      files: [{ name, bytes: documentOf(name) }],
    })
  await upload(test, one, {
    firmwareVersionId: versions[1],
    files: [{ name: 'mine', bytes: documentOf('mine') }],
  })

  await test.startWorker()
  await parsedSboms(many, versions[0])
  await parsedSboms(one, versions[1])

  // By their begin: one that begins beside the first of the others may end after the next of these.
  const { rows } = await sql<{ fileName: string }>`
    select sbom.file_name from pgboss.job join sboms as sbom on sbom.id::text = job.data ->> 'sbomId'
    where job.name = 'sboms.uploaded-small' order by job.started_on`.execute(test.ctx.db)
  const order = rows.map(({ fileName }) => fileName)
  // Beside the first of the others, or after it.
  expect(order.indexOf('mine')).toBeLessThan(2)
  expect(order.filter((name) => name !== 'mine')).toEqual(['a', 'b', 'c', 'd'])
})

it.each([
  { limit: { parseSeconds: 0.001 }, text: 'takes longer than the allowed 0.001 s' },
  { limit: { storeSeconds: 0 }, text: 'Storing the components of the document takes longer' },
])('tries a document that takes too long once more: $limit', async ({ limit, text }) => {
  const test = await startTestApp({ sboms: { ...sboms, ...limit } })
  const client = await givenClient(test)
  const firmwareVersionId = await givenFirmwareVersion(client)
  await upload(test, client, { firmwareVersionId, files: [{ name: 'a', bytes: documentOf('a') }] })

  await test.startWorker()
  const [sbom] = await parsedSboms(client, firmwareVersionId)

  expect(sbom).toMatchObject({ parsingState: 'Failed' })
  expect(sbom?.parsingError).toContain(text)
  const { rows } = await sql<{ name: string }>`
    select name from pgboss.job where name like 'sboms.uploaded%' order by created_on`.execute(
    test.ctx.db,
  )
  expect(rows.map(({ name }) => name)).toEqual([
    'sboms.uploaded-small',
    'sboms.uploaded',
    'sboms.uploaded',
  ])
})

it('refuses further files of a workspace in which many wait, without reading them', async () => {
  const test = await startTestApp({ sboms: { ...sboms, waitingFiles: 2 } })
  const [client, other] = [await givenClient(test), await givenClient(test)]
  const firmwareVersionId = await givenFirmwareVersion(client)
  const path = (id: string) => `/firmware-versions/${id}/sboms`
  const files = ['a', 'b'].map((name) => ({ name, bytes: documentOf(name) }))
  await upload(test, client, { firmwareVersionId, files })
  const headers = { 'content-type': 'application/octet-stream' }
  // It never ends.
  const payload = new Readable({ read: () => undefined })

  const refused = await test.app.inject({
    method: 'POST',
    url: `/workspaces/${client.workspaceId}${path(firmwareVersionId)}`,
    headers: { ...headers, authorization: `Bearer ${client.apiKey}` },
    payload,
  })
  const otherVersion = await givenFirmwareVersion(other)
  const taken = await upload(test, other, { firmwareVersionId: otherVersion, files })

  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toMatchObject({ type: '/problems/too-many-sboms-wait' })
  expect(taken.statusCode).toBe(202)
})

it('matches a version by turns, and marks it only when all is matched', async () => {
  const test = await startTestApp()
  const client = await givenClient(test)
  const firmwareVersionId = await givenFirmwareVersion(client)
  await upload(test, client, { firmwareVersionId, files: [{ name: 'a', bytes: documentOf('a') }] })
  await test.startWorker()
  await parsedSboms(client, firmwareVersionId)
  await test.queue.stop()
  const { db } = test.ctx
  await sql`update packages set matched_at = null`.execute(db)
  await sql`update sboms set vulnerabilities_parsed_at = null`.execute(db)
  const version = { workspaceId: client.workspaceId, firmwareVersionId }
  const isMarked = async () =>
    (await parsedSboms(client, firmwareVersionId))[0]?.vulnerabilitiesParsedAt !== null

  const first = await matchFirmwareVersion(test.ctx, version, { mostMs: -1, before: 7 })
  const between = await isMarked()
  const second = await matchFirmwareVersion(test.ctx, version, { before: 7 })

  expect([first, between]).toEqual([{ isDone: false, changes: 7 }, false])
  expect([second, await isMarked()]).toEqual([{ isDone: true, changes: 7 }, true])
})

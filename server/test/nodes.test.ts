/** Several processes on one database and store: work is shared, and done once. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { poolsOf, startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient, givenFirmwareVersion, matchedSboms, upload } from './given.ts'

const nodes: TestApp[] = []
let client: Client

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-nodes-'))
  const blobs = { kind: 'fs', directory } as const
  // In the service, jobs that wait for each other have connections of their own, so that no upload waits for theirs.
  const settings = { blobs, databasePools: poolsOf(40) }
  const first = await startTestApp(settings)
  nodes.push(first)
  const { connectionString } = first
  nodes.push(
    await startTestApp(settings, connectionString),
    await startTestApp(settings, connectionString),
  )
  client = await givenClient(first)
})

it('parses what one node accepted on whichever node is free, each file once', async () => {
  const [api] = nodes
  if (!api) throw new Error('no node')
  const firmwareVersionId = await givenFirmwareVersion(client)
  await Promise.all(nodes.map((node) => node.startWorker()))
  const documents = Array.from({ length: 30 }, (_, index) =>
    JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      components: Array.from({ length: 10 }, (_value, part) => ({
        type: 'library',
        name: `p${index}-${part}`,
        version: '1',
        purl: `pkg:npm/p${part}@1`,
      })),
    }),
  )

  const responses = await Promise.all(
    documents.map((bytes, index) =>
      upload(api, client, { firmwareVersionId, files: [{ name: `${index}.json`, bytes }] }),
    ),
  )
  const sboms = await matchedSboms(client, firmwareVersionId)

  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(30).fill(202))
  expect(sboms.map(({ parsingState, componentCount }) => [parsingState, componentCount])).toEqual(
    Array.from({ length: 30 }, () => ['Succeeded', 10]),
  )
  const listed = (
    await client.get(`/firmware-versions/${firmwareVersionId}/sbom-components`)
  ).json<{ components: unknown[] }>()
  expect(listed.components).toHaveLength(300)
})

it('reads a cursor and a content link of one node on another', async () => {
  const [first, second] = nodes
  if (!first || !second) throw new Error('no nodes')

  expect(second.ctx.signingKey.isSigned('a link', first.ctx.signingKey.sign('a link'))).toBe(true)
})

/** `firmware chain`, `provenance`, and uploads of an SBOM with its image. */
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { type Client, givenClient, parsedSboms } from '../../server/test/given.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, runPlimsoll, startService } from './service.ts'

let service: Awaited<ReturnType<typeof startService>>
let client: Client
let environment: Environment
let versionId: string
beforeAll(async () => {
  service = await startService({ withWorker: true })
})
beforeEach(async () => {
  client = await givenClient(service)
  environment = service.environmentOf(client)
  const firmware = await client.post('/firmwares', { slug: 'gateway' })
  const path = `/firmwares/${firmware.json<{ id: string }>().id}/versions`
  versionId = (await client.post(path, { name: '2.4.2' })).json<{ id: string }>().id
})

const BOM = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components: [{ type: 'library', name: 'zlib', version: '1.3.1' }],
})
const run = (...words: string[]) => runPlimsoll(environment, words)

it.each([
  [
    'sbom upload',
    (bom: string, image: string) => ['sbom', 'upload', 'gateway@2.4.2', bom, '--image', image],
  ],
  [
    'artifact upload',
    (bom: string, image: string) => ['artifact', 'upload', 'gateway@2.4.2', image, '--sbom', bom],
  ],
])('%s sends both at once, and the chain is stated from then on', async (_, words) => {
  const before = await run('firmware', 'chain', 'gateway@2.4.2')
  const [bom, image] = [givenFile('gateway.cdx.json', BOM), givenFile('gateway.bin', 'image')]

  const sent = await run(...words(bom, image))
  await parsedSboms(client, versionId)
  const after = await run('firmware', 'chain', 'gateway@2.4.2')

  expect([before.exitCode, sent.exitCode, after.exitCode]).toEqual([EXIT.chainIncomplete, 0, 0])
  expect(before.stdout).toContain('Missing. The version has no image')
  expect(after.stdout).toContain(
    'gateway.cdx.json -> gateway.bin: Stated. The statement gateway.bin.intoto.json names both by their hashes',
  )
})

it('adds, lists and deletes statements', async () => {
  const statement = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'gateway.bin', digest: { sha256: 'ab'.repeat(32) } }],
    predicateType: 'https://example.com/v1',
  })
  const file = givenFile('gateway.intoto.json', statement)

  const added = await run('provenance', 'add', 'gateway@2.4.2', file)
  const listed = await run('provenance', 'list', 'gateway@2.4.2')
  const [id = ''] = (await run('provenance', 'list', 'gateway@2.4.2', '--quiet')).stdout.split('\n')
  const deleted = await run('provenance', 'delete', 'gateway@2.4.2', id, '--yes')

  expect(added.stdout).toContain('gateway.intoto.json: NotSigned. Nobody has signed it.')
  expect(listed.stdout).toMatch(/gateway\.intoto\.json +Other +NotSigned/)
  expect(deleted.exitCode).toBe(0)
  expect((await run('provenance', 'list', 'gateway@2.4.2', '--quiet')).stdout).toBe('')
})

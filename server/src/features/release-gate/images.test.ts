/** What the release gate demands of images: which demand is not met, why, and how to get on. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient, parsedSboms, upload } from '../../../test/given.ts'
import { putArtifact } from '../../../test/given-artifacts.ts'
import { makeMcubootImage, type McubootOptions } from '../../../test/given-mcuboot.ts'
import { assessGate } from './service.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const DEMANDS = ['Signed', 'NoTestKey', 'NamedVersion', 'CounterNotLower']

let test: TestApp
let client: Client
let firmwareId: string
beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
})
beforeEach(async () => {
  client = await givenClient(test)
  const slug = `fw-${crypto.randomUUID()}`
  firmwareId = (await client.post('/firmwares', { slug })).json<{ id: string }>().id
  await client.post('/trusted-keys', {
    name: 'Release key',
    key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  })
  await client.patch('/settings', { releaseGate: 'Block', gateImages: DEMANDS })
})

/** A version whose image was checked. */
async function givenVersion(
  name: string,
  image?: McubootOptions,
  predecessorId?: string,
): Promise<string> {
  const body = { name, ...(predecessorId !== undefined && { predecessorId }) }
  const version = await client.post(`/firmwares/${firmwareId}/versions`, body)
  const firmwareVersionId = version.json<{ id: string }>().id
  if (!image) return firmwareVersionId
  await putArtifact(test, client, { firmwareVersionId, bytes: makeMcubootImage(image) })
  await waitUntilChecked(firmwareVersionId)
  return firmwareVersionId
}

async function waitUntilChecked(firmwareVersionId: string): Promise<void> {
  for (;;) {
    const answer = await client.get(`/firmware-versions/${firmwareVersionId}/image-verifications`)
    if (!answer.body.includes('"Checking"')) return
    await delay(20)
  }
}

const assess = (firmwareVersionId: string) =>
  assessGate(test.ctx, {
    workspaceId: client.workspaceId,
    firmwareVersionIds: [firmwareVersionId],
  })

const unmet = async (firmwareVersionId: string) => {
  const { images, blocked } = await assess(firmwareVersionId)
  expect(blocked).toBe((images?.failing.length ?? 0) > 0)
  return images?.failing.map(({ demand, detail }) => [demand, detail])
}

const signed = (counter: number | undefined, revision = 1): McubootOptions => ({
  keys: [privateKey],
  version: [2, 4, revision, 0],
  ...(counter !== undefined && { securityCounter: counter }),
})

it('demands nothing of images by itself', async () => {
  await client.patch('/settings', { gateImages: [] })
  const version = await givenVersion('2.4.1', { keys: [] })

  expect(await assess(version)).not.toHaveProperty('images')
})

it('lets an image pass that meets all demands', async () => {
  const before = await givenVersion('2.4.0', signed(3, 0))
  const version = await givenVersion('2.4.1', signed(3), before)

  expect(await unmet(version)).toEqual([])
})

it('stops an image that nobody signed', async () => {
  const version = await givenVersion('2.4.1', { keys: [] })

  expect(await unmet(version)).toEqual([
    [
      'Signed',
      'The image has no signature. Sign it with a trusted key, or trust the key that signs.',
    ],
  ])
})

it('stops an image that states another version than it is called', async () => {
  const version = await givenVersion('3.0.0', signed(3))

  expect(await unmet(version)).toEqual([
    ['NamedVersion', expect.stringContaining('It states the version 2.4.1, and is called 3.0.0.')],
  ])
})

it.each`
  counter      | says
  ${2}         | ${'Its security counter is 2, so devices may refuse it. Build it with 3 or more, as the predecessor 2.4.0 has.'}
  ${undefined} | ${'It states no security counter. Build it with 3 or more, as the predecessor 2.4.0 has.'}
`(
  'stops an image whose security counter $counter is lower than that of the predecessor',
  async ({ counter, says }: { counter: number | undefined; says: string }) => {
    const before = await givenVersion('2.4.0', signed(3, 0))

    const version = await givenVersion('2.4.1', signed(counter), before)

    expect(await unmet(version)).toEqual([['CounterNotLower', says]])
  },
)

it('stops a version without an image at each demand', async () => {
  const version = await givenVersion('2.4.1')

  expect(await unmet(version)).toEqual(
    DEMANDS.map((demand) => [demand, 'The version has no artifact. Upload it first.']),
  )
})

/** A further file of the version, once it was checked. */
async function givenRole(
  firmwareVersionId: string,
  role: string,
  of: McubootOptions,
  base?: string,
) {
  const query = base === undefined ? {} : { baseVersionId: base }
  const sent = { firmwareVersionId, role, query, bytes: makeMcubootImage(of) }
  expect((await putArtifact(test, client, sent)).statusCode).toBeLessThan(202)
  await waitUntilChecked(firmwareVersionId)
}

it('asks of a delta all that it asks of the image, and of a part only who signed it', async () => {
  const before = await givenVersion('2.4.0', signed(3, 0))
  const version = await givenVersion('2.4.1', signed(3), before)
  await givenRole(version, 'bootloader', signed(undefined, 7))
  const passes = await unmet(version)

  await givenRole(version, 'bootloader', { keys: [] })
  await givenRole(version, 'delta', signed(2, 0), before)
  const gate = await assess(version)
  const told = await client.get(`/firmware-versions/${version}/image-verifications`)

  expect(passes).toEqual([])
  expect(gate.images?.count).toBe(3)
  const named = told
    .json<{ verifications: { role: string; isNamedVersion: boolean | null }[] }>()
    .verifications.map(({ role, isNamedVersion }) => [role, isNamedVersion])
  expect(named).toEqual([
    ['image', true],
    ['bootloader', null],
    ['delta', false],
  ])
  expect(gate.images?.failing.map(({ fileName, demand }) => [fileName, demand])).toEqual([
    [expect.stringContaining('bootloader'), 'Signed'],
    [expect.stringContaining('delta'), 'NamedVersion'],
    [expect.stringContaining('delta'), 'CounterNotLower'],
  ])
})

it('does not take a signed part for an image', async () => {
  const version = await givenVersion('2.4.1')
  await givenRole(version, 'bootloader', signed(3))

  expect(await unmet(version)).toEqual(
    DEMANDS.map((demand) => [demand, 'The version has no artifact. Upload it first.']),
  )
})

it('stops an SBOM that no trusted key signed, until a signature stands beside it', async () => {
  await client.patch('/settings', { gateImages: ['SbomSigned'] })
  const version = await givenVersion('2.4.1', { keys: [] })
  const bom = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [] })

  const without = await unmet(version)
  await upload(test, client, {
    firmwareVersionId: version,
    files: [{ name: 'a.json', bytes: bom }],
  })
  const [sbom] = await parsedSboms(client, version)
  const read = async () => (await client.get(`/firmware-versions/${version}/sbom-signatures`)).body
  await expect.poll(read).toContain('"NotSigned"')
  const apart = await unmet(version)
  const signature = sign('sha256', Buffer.from(bom), privateKey).toString('base64')
  await client.post(`/sboms/${sbom?.id}/signatures`, { fileName: 'a.json.sig', signature })
  await expect.poll(read).toContain('"Verified"')

  expect(without).toEqual([['SbomSigned', 'The version has no SBOM. Upload one first.']])
  expect(apart).toEqual([
    ['SbomSigned', expect.stringMatching(/^Neither .*Sign it with a trusted key/)],
  ])
  expect(await unmet(version)).toEqual([])
})

it('only warns where the gate warns', async () => {
  await client.patch('/settings', { releaseGate: 'Warn' })
  const version = await givenVersion('2.4.1', { keys: [] })

  const gate = await assess(version)

  expect(gate.blocked).toBe(false)
  expect(gate.images?.failing).toHaveLength(1)
})

it('stops an image that no SBOM describes, until a statement names both', async () => {
  await client.patch('/settings', { gateImages: ['ChainComplete'] })
  const version = await givenVersion('2.4.1', { keys: [] })
  const bom = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components: [] })

  const without = await unmet(version)
  await upload(test, client, {
    firmwareVersionId: version,
    files: [{ name: 'a.json', bytes: bom }],
  })
  await parsedSboms(client, version)
  const apart = await unmet(version)
  const files = [makeMcubootImage({ keys: [] }), bom]
  const digests = files.map((bytes) => ({
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }))
  const statement = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: digests.map((digest, index) => ({ name: `file ${index}`, digest })),
    predicateType: 'https://example.com/v1',
  })
  const path = `/firmware-versions/${version}/provenance-statements`
  await client.post(path, { fileName: 'a.intoto.json', statement })

  expect(without).toEqual([['ChainComplete', expect.stringContaining('has no SBOM that was read')]])
  expect(apart).toEqual([
    ['ChainComplete', expect.stringMatching(/No SBOM states a hash.*Upload both at once/)],
  ])
  expect(await unmet(version)).toEqual([])
})

/** A hash inside an SBOM that a trusted key signed proves the link to the image, as long as it did. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient, givenFirmwareVersion, upload } from '../../../../test/given.ts'
import { putArtifact } from '../../../../test/given-artifacts.ts'
import { encodePae } from '../../../formats/dsse.ts'
import { canonicalizeJson } from '../../../formats/sbom-signatures/canonical-json.ts'
import { assessGate } from '../../release-gate/index.ts'

let test: TestApp
let client: Client
let firmwareVersionId: string
beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
})
beforeEach(async () => {
  client = await givenClient(test)
  firmwareVersionId = await givenFirmwareVersion(client)
})

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const IMAGE = 'the bytes of the image'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const makeBom = (hash = sha256(IMAGE)) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 1,
  metadata: {
    component: {
      type: 'firmware',
      name: 'gateway',
      version: '2.4.2',
      hashes: [{ alg: 'SHA-256', content: hash }],
    },
  },
  components: [{ type: 'library', name: 'zlib', version: '1.3.1' }],
})

/** JSF, which CycloneDX has inside. */
function signInside(bom: object): object {
  const unsigned = { algorithm: 'ES256', publicKey: publicKey.export({ format: 'jwk' }) }
  const message = Buffer.from(canonicalizeJson({ ...bom, signature: unsigned }))
  const value = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return { ...bom, signature: { ...unsigned, value: value.toString('base64url') } }
}

const signBeside = (text: string) =>
  sign('sha256', Buffer.from(text), privateKey).toString('base64')

function signInEnvelope(text: string): string {
  const payloadType = 'application/vnd.in-toto+json'
  const payload = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'gateway.cdx.json', digest: { sha256: sha256(text) } }],
    predicateType: 'https://example.com/other/v1',
    predicate: {},
  })
  const signed = sign('sha256', encodePae(payloadType, Buffer.from(payload)), privateKey)
  const signatures = [{ sig: signed.toString('base64') }]
  return JSON.stringify({
    payloadType,
    payload: Buffer.from(payload).toString('base64'),
    signatures,
  })
}

const at = (rest: string) => `/firmware-versions/${firmwareVersionId}/${rest}`

async function trust(key: KeyObject = publicKey): Promise<string> {
  const pem = key.export({ type: 'spki', format: 'pem' }).toString()
  const made = await client.post('/trusted-keys', { name: 'Release key', key: pem })
  expect(made.statusCode).toBe(201)
  return made.json<{ id: string }>().id
}

async function putImage(bytes = IMAGE): Promise<void> {
  const sent = { firmwareVersionId, bytes, query: { fileName: 'gateway.bin' } }
  expect((await putArtifact(test, client, sent)).statusCode).toBeLessThan(202)
  const read = async () => (await client.get(at('image-verifications'))).body
  await expect.poll(read).not.toContain('"Checking"')
}

/** Answers its id, once its signatures were checked. */
async function putSbom(bytes: string): Promise<string> {
  const files = [{ name: 'gateway.cdx.json', bytes }]
  expect((await upload(test, client, { firmwareVersionId, files })).statusCode).toBe(202)
  const read = async () => (await client.get(at('sboms'))).body
  await expect.poll(read).not.toMatch(/"parsingState":"(?:Queued|Waiting|InProgress)"/)
  const checked = async () => (await client.get(at('sbom-signatures'))).body
  await expect.poll(checked).not.toContain('"Checking"')
  const { sboms } = (await client.get(at('sboms'))).json<{ sboms: { id: string }[] }>()
  return sboms[0]?.id ?? ''
}

async function readLink() {
  const { links } = (await client.get(at('chain'))).json<{
    links: { step: string; state: string; by: string | null; why: string }[]
  }>()
  return links.find(({ step }) => step === 'SbomToImage')
}
const readState = async () => (await readLink())?.state

const readGate = async () => {
  await client.patch('/settings', { releaseGate: 'Block', gateImages: ['ChainComplete'] })
  const { workspaceId } = client
  const { images } = await assessGate(test.ctx, {
    workspaceId,
    firmwareVersionIds: [firmwareVersionId],
  })
  return images?.failing.map(({ detail }) => detail)
}

const addBeside = async (sbomId: string, signature: string) => {
  const added = await client.post(`/sboms/${sbomId}/signatures`, {
    fileName: 'gateway.sig',
    signature,
  })
  expect(added.statusCode).toBe(201)
}

describe('the link of a signed SBOM', () => {
  it('is proved by a signature inside, from the moment the key is trusted until it no longer is', async () => {
    await putImage()
    await putSbom(JSON.stringify(signInside(makeBom())))
    const before = await readState()

    const key = await trust()
    await expect.poll(readState).toBe('Proved')
    const proved = await readLink()
    await client.delete(`/trusted-keys/${key}`)

    expect(before).toBe('Stated')
    expect(proved).toMatchObject({
      by: 'gateway.cdx.json, signed with Release key',
      why: 'The SBOM, signed with the trusted key Release key, states the SHA-256 of gateway, which is that of the file.',
    })
    expect(await readState()).toBe('Stated')
    expect(await readGate()).toEqual([])
  })

  it.each([
    ['detached', signBeside],
    ['in an envelope of DSSE', signInEnvelope],
  ])(
    'is proved by a signature beside it, %s, until that is taken away',
    async (_how, signDocument) => {
      await trust()
      await putImage()
      const text = JSON.stringify(makeBom())
      const sbomId = await putSbom(text)
      const before = await readState()

      await addBeside(sbomId, signDocument(text))
      await expect.poll(readState).toBe('Proved')
      const { verifications } = (await client.get(at('sbom-signatures'))).json<{
        verifications: { beside: { id: string }[] }[]
      }>()
      await client.delete(`/sboms/${sbomId}/signatures/${verifications[0]?.beside[0]?.id}`)

      expect(before).toBe('Stated')
      await expect.poll(readState).toBe('Stated')
    },
  )

  it('is stated where another key signed it than those that are trusted', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    await trust(other.publicKey)
    await putImage()
    await putSbom(JSON.stringify(signInside(makeBom())))

    expect(await readState()).toBe('Stated')
  })

  it('differs where the document was changed after it was signed, and stops the gate', async () => {
    await trust()
    await putImage()
    const signed = signInside(makeBom(sha256('another image')))
    await putSbom(JSON.stringify({ ...signed, metadata: makeBom().metadata }))
    const { links } = (await client.get(at('chain'))).json<{ links: object[] }>()

    expect(links).toMatchObject([
      { from: null, to: 'gateway.bin', state: 'Missing' },
      {
        from: 'gateway.cdx.json',
        to: null,
        state: 'Differs',
        why: expect.stringContaining('is not valid') as string,
      },
      { step: 'ImageToDevices' },
    ])
    expect(await readGate()).toContainEqual(expect.stringContaining('is not valid'))
  })

  it('proves nothing of another image', async () => {
    await trust()
    await putImage('another image')
    await putSbom(JSON.stringify(signInside(makeBom())))
    const { links } = (await client.get(at('chain'))).json<{ links: object[] }>()

    expect(links).toMatchObject([
      { to: 'gateway.bin', state: 'Missing' },
      { from: 'gateway.cdx.json', state: 'Differs' },
      { step: 'ImageToDevices' },
    ])
  })

  it('is stated once a newer SBOM without a signature replaces it', async () => {
    await trust()
    await putImage()
    const first = await putSbom(JSON.stringify(signInside(makeBom())))
    await expect.poll(readState).toBe('Proved')

    await putSbom(JSON.stringify({ ...makeBom(), version: 2 }))

    const read = async () => (await client.get(at('sboms'))).body
    await expect.poll(read).not.toContain(first)
    expect(await readState()).toBe('Stated')
  })
})

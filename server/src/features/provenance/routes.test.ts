/** Statements about files of a version, and the chain that they make with SBOMs and images, through the API with real keys. */
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  parsedSboms,
  upload,
} from '../../../test/given.ts'
import { putArtifact } from '../../../test/given-artifacts.ts'
import { makeMcubootImage } from '../../../test/given-mcuboot.ts'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { encodePae } from '../../formats/dsse.ts'

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

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const IMAGE = 'the bytes of the image'
const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const makeBom = (hashes: object[] = [], name = 'gateway') => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  metadata: { component: { type: 'firmware', name, version: '2.4.2', hashes } },
  components: [{ type: 'library', name: 'zlib', version: '1.3.1' }],
})

const statement = (subject: object[], more: object = {}) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject,
  predicateType: 'https://example.com/other/v1',
  predicate: {},
  ...more,
})
const file = (name: string, bytes: string | Uint8Array) => ({
  name,
  digest: { sha256: sha256(bytes) },
})

const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
function envelope(payload: string, by: KeyObject = key.privateKey, payloadType = PAYLOAD_TYPE) {
  const sig = sign('sha256', encodePae(payloadType, Buffer.from(payload)), by).toString('base64')
  return {
    payloadType,
    payload: Buffer.from(payload).toString('base64'),
    signatures: [{ keyid: '', sig }],
  }
}

const at = (rest: string) => `/firmware-versions/${firmwareVersionId}/${rest}`
const add = (document: unknown, fileName = 'a.intoto.json') =>
  client.post(at('provenance-statements'), {
    fileName,
    statement: typeof document === 'string' ? document : JSON.stringify(document),
  })

const trust = () =>
  client.post('/trusted-keys', {
    name: 'Release key',
    key: key.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  })

async function putImage(bytes: string | Uint8Array = IMAGE, fileName = 'gateway.bin') {
  await putArtifact(test, client, { firmwareVersionId, bytes, query: { fileName } })
  for (;;) {
    const { body } = await client.get(at('image-verifications'))
    if (!body.includes('"Checking"')) return
    await delay(20)
  }
}

async function putSbom(bytes: string | Uint8Array, name = 'gateway.cdx.json'): Promise<void> {
  await upload(test, client, { firmwareVersionId, files: [{ name, bytes }] })
  const sboms = await parsedSboms(client, firmwareVersionId)
  expect(sboms.map(({ parsingState }) => parsingState)).not.toContain('Failed')
}

interface Link {
  step: string
  from: string | null
  to: string | null
  state: string
  by: string | null
  why: string
  next: string | null
}
const readChain = async () =>
  (await client.get(at('chain'))).json<{ isComplete: boolean; links: Link[] }>()
async function readLinks() {
  const { links } = await readChain()
  return links
    .filter(({ step }) => step === 'SbomToImage')
    .map(({ from, to, state }) => ({ from, to, state }))
}

describe('the link from the SBOM to the image', () => {
  it('is missing where there is no image, no SBOM, or nothing that says so', async () => {
    expect(await readLinks()).toEqual([{ from: null, to: null, state: 'Missing' }])
    await putImage()
    expect(await readLinks()).toEqual([{ from: null, to: 'gateway.bin', state: 'Missing' }])
    await putSbom(JSON.stringify(makeBom()))

    const { isComplete, links } = await readChain()

    expect(isComplete).toBe(false)
    expect(links).toMatchObject([
      {
        state: 'Missing',
        why: expect.stringContaining('No SBOM states a hash of this file') as string,
      },
      { step: 'ImageToDevices', state: 'Missing' },
    ])
  })

  it.each([
    ['SHA-256', 'sha256'],
    ['SHA-384', 'sha384'],
    ['SHA-512', 'sha512'],
  ])('is stated where the SBOM states the %s of the image', async (alg, name) => {
    const content = createHash(name).update(IMAGE).digest('hex')
    await putSbom(JSON.stringify(makeBom([{ alg, content }])))
    await putImage()

    expect(await readChain()).toMatchObject({
      isComplete: true,
      links: [
        {
          state: 'Stated',
          from: 'gateway.cdx.json',
          to: 'gateway.bin',
          why: `The SBOM states the ${alg} of gateway, which is that of the file.`,
        },
        { step: 'ImageToDevices' },
      ],
    })
  })

  it('is stated where a component that is called like the image has its hash', async () => {
    const component = {
      type: 'file',
      name: 'gateway.bin',
      hashes: [{ alg: 'SHA-256', content: sha256(IMAGE) }],
    }
    await putSbom(JSON.stringify({ ...makeBom(), components: [component] }))
    await putImage()

    expect(await readLinks()).toMatchObject([{ state: 'Stated' }])
  })

  it('is stated where the SBOM states the hash of what the image holds', async () => {
    await putImage(makeMcubootImage({ keys: [] }))
    const { facts } = await test.ctx.db
      .selectFrom('imageFacts')
      .select('facts')
      .where('firmwareVersionId', '=', firmwareVersionId)
      .executeTakeFirstOrThrow()
    const { hashes } = facts as { hashes: { of: string | null; value: string }[] }
    const inside = hashes.find(({ of }) => of !== null)?.value
    expect(inside).toMatch(/^[0-9a-f]{64}$/)

    await putSbom(JSON.stringify(makeBom([{ alg: 'SHA-256', content: inside }])))

    expect((await readChain()).links[0]).toMatchObject({
      state: 'Stated',
      why: 'The SBOM states the SHA-256 of gateway, which the file holds: the hash that MCUboot checks.',
    })
  })

  it('differs where the SBOM states the hash of another image', async () => {
    await putSbom(JSON.stringify(makeBom([{ alg: 'SHA-256', content: sha256('another') }])))
    await putImage()

    expect(await readLinks()).toEqual([
      { from: null, to: 'gateway.bin', state: 'Missing' },
      { from: 'gateway.cdx.json', to: null, state: 'Differs' },
    ])
  })

  it('is proved by a statement that a trusted key signed, from the moment the key is trusted until it no longer is', async () => {
    const bom = JSON.stringify(makeBom())
    await putSbom(bom)
    await putImage()
    const both = statement([file('gateway.bin', IMAGE), file('gateway.cdx.json', bom)])
    const added = await add(envelope(JSON.stringify(both)))
    expect(added.json()).toMatchObject({ state: 'Untrusted', keyName: null })
    expect(await readLinks()).toMatchObject([{ state: 'Stated' }])

    const { id } = (await trust()).json<{ id: string }>()
    while ((await readLinks())[0]?.state !== 'Proved') await delay(20)
    expect((await readChain()).links[0]).toMatchObject({
      by: 'a.intoto.json, signed with Release key',
      next: null,
    })
    await client.delete(`/trusted-keys/${id}`)

    expect(await readLinks()).toMatchObject([{ state: 'Stated' }])
  })

  it('is proved by an attested SBOM whose content is that of the uploaded one, however it is written', async () => {
    await trust()
    await putSbom(JSON.stringify(makeBom(), null, 2))
    await putImage()
    const predicate = { predicateType: 'https://cyclonedx.org/bom', predicate: makeBom() }

    const added = await add(envelope(JSON.stringify(statement([file('x', IMAGE)], predicate))))

    expect(added.json()).toMatchObject({ kind: 'Sbom', holdsSbom: true, state: 'Verified' })
    expect(await readLinks()).toMatchObject([{ state: 'Proved' }])
  })

  it('differs where the attested SBOM is another than the uploaded one', async () => {
    await trust()
    await putSbom(JSON.stringify(makeBom()))
    await putImage()
    const predicate = {
      predicateType: 'https://cyclonedx.org/bom',
      predicate: makeBom([], 'other'),
    }

    await add(envelope(JSON.stringify(statement([file('x', IMAGE)], predicate))))

    expect(await readLinks()).toEqual([{ from: null, to: 'gateway.bin', state: 'Differs' }])
  })

  it('is proved by provenance that names the SBOM among what the build left, and shows builder and materials', async () => {
    await trust()
    const bom = JSON.stringify(makeBom())
    await putSbom(bom)
    await putImage()
    const predicate = {
      buildDefinition: {
        buildType: 'https://example.com/yocto',
        resolvedDependencies: [
          { uri: 'git+https://example.com/meta', digest: { gitCommit: 'ab' } },
        ],
      },
      runDetails: { builder: { id: 'https://ci.example.com' }, byproducts: [file('sbom', bom)] },
    }

    const added = await add(
      envelope(
        JSON.stringify(
          statement([file('gateway.bin', IMAGE)], {
            predicateType: 'https://slsa.dev/provenance/v1',
            predicate,
          }),
        ),
      ),
    )

    expect(added.json()).toMatchObject({
      kind: 'Build',
      build: {
        builderId: 'https://ci.example.com',
        buildType: 'https://example.com/yocto',
        materials: ['git+https://example.com/meta'],
        materialCount: 1,
      },
    })
    expect(await readLinks()).toMatchObject([{ state: 'Proved' }])
  })

  it('differs where a statement is about another file', async () => {
    await putSbom(JSON.stringify(makeBom()))
    await putImage()

    await add(statement([file('other.bin', 'other')]))

    expect(await readLinks()).toContainEqual({ from: 'a.intoto.json', to: null, state: 'Differs' })
  })
})

describeWithSharedData('with the real SBOM of an image of Yocto', (shared) => {
  it('is stated where the image is the one that Yocto wrote, and differs where it is not', async () => {
    const path =
      'sbom/firmware/yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz'
    const document = gunzipSync(readFileSync(join(shared, path))).toString()
    await putImage()
    await putSbom(document, 'image.spdx.json')
    expect(await readLinks()).toContainEqual({
      from: 'image.spdx.json',
      to: null,
      state: 'Differs',
    })

    firmwareVersionId = await givenFirmwareVersion(client)
    await putImage()
    const ext4 = 'e40dfa5d784db384ef6d25eeb873e185aef5d9a750fafaa6aa6caebe00ca04fa'
    await putSbom(document.replaceAll(ext4, sha256(IMAGE)), 'image.spdx.json')

    expect(await readLinks()).toEqual([
      { from: 'image.spdx.json', to: 'gateway.bin', state: 'Stated' },
    ])
  })
})

describe('a statement', () => {
  const one = () => statement([file('gateway.bin', IMAGE)])

  it('is listed once however often it is sent, read as it was sent, and gone once it is deleted', async () => {
    const text = JSON.stringify(one())
    const added = await add(text)
    const again = await add(text, 'b.json')
    const { id } = added.json<{ id: string }>()

    expect([added.statusCode, again.json()]).toEqual([201, added.json()])
    expect((await client.get(at('provenance-statements'))).json()).toEqual({
      statements: [added.json()],
    })
    expect((await client.get(at(`provenance-statements/${id}`))).json()).toEqual({
      fileName: 'a.intoto.json',
      statement: text,
    })
    expect((await client.delete(at(`provenance-statements/${id}`))).statusCode).toBe(204)
    expect((await client.delete(at(`provenance-statements/${id}`))).statusCode).toBe(404)
    expect((await client.get(at('provenance-statements'))).json()).toEqual({ statements: [] })
  })

  it('is read from bundles of Sigstore, and from those that cosign wrote before', async () => {
    await trust()
    const dsseEnvelope = envelope(JSON.stringify(one()))
    const mediaType = 'application/vnd.dev.sigstore.bundle.v0.3+json'
    const bundle = { mediaType, verificationMaterial: { publicKey: { hint: '' } }, dsseEnvelope }
    const older = {
      base64Signature: Buffer.from(JSON.stringify(envelope(JSON.stringify(one())))).toString(
        'base64',
      ),
    }

    expect((await add(bundle)).json()).toMatchObject({ state: 'Verified' })
    expect((await add(older)).json()).toMatchObject({ state: 'Verified' })
  })

  it('is refused where it names a trusted key that has not signed it', async () => {
    const { fingerprint } = (await trust()).json<{ fingerprint: string }>()
    const right = envelope(JSON.stringify(one()))
    const payload = Buffer.from(JSON.stringify(statement([file('x', 'other')]))).toString('base64')
    const signatures = right.signatures.map(({ sig }) => ({ sig, keyid: fingerprint }))

    const refused = await add({ ...right, payload, signatures })

    expect(refused.json()).toMatchObject({
      status: 400,
      errors: [
        { pointer: '/statement', detail: expect.stringContaining('payload was changed') as string },
      ],
    })
  })

  it('is never verified with a byte of its payload changed', async () => {
    await trust()
    const right = envelope(JSON.stringify(one()))
    const payload = Buffer.from(right.payload, 'base64')
    const place = payload.indexOf(sha256(IMAGE))
    payload.write(payload[place] === 0x30 ? '1' : '0', place)

    const added = await add({ ...right, payload: payload.toString('base64') })

    expect(added.json()).toMatchObject({ state: 'Untrusted', keyName: null })
  })

  const subjects = (count: number) =>
    Array.from({ length: count }, (_, index) => file(`f${index}`, `${index}`))
  it.each([
    ['no JSON', () => 'hello', 'JSON'],
    ['another kind of document', () => makeBom(), 'no in-toto statement'],
    ['no subject', () => statement([]), 'no subject'],
    ['50,000 subjects', () => statement(subjects(50_000)), '50000 subjects'],
    [
      'a digest of a wrong length',
      () => statement([{ name: 'a', digest: { sha256: 'ab' } }]),
      'not of its length',
    ],
    [
      'digests that prove nothing',
      () => statement([{ name: 'a', digest: { sha1: 'ab'.repeat(20) } }]),
      'No subject',
    ],
    [
      'a payload of another type',
      () => envelope(JSON.stringify(one()), key.privateKey, 'text/plain'),
      'text/plain',
    ],
    ['a payload that is not Base64', () => ({ ...envelope('{}'), payload: '*' }), 'not Base64'],
    [
      'eleven signatures',
      () => ({
        ...envelope('{}'),
        signatures: Array.from({ length: 11 }, () => ({ sig: 'AAAA' })),
      }),
      '11 signatures',
    ],
    [
      'a member twice',
      () => '{"_type":"https://in-toto.io/Statement/v1","subject":[],"subject":[]}',
      'twice',
    ],
    ['nesting without end', () => '['.repeat(200_000), 'deep'],
    [
      'a bundle that signs a file',
      () => ({ mediaType: 'x', messageSignature: {} }),
      'beside the artifact',
    ],
  ])('is refused with %s', async (_, document, says) => {
    const refused = await add(document())

    expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer: '/statement' }] })
    expect(refused.body).toContain(says)
  })

  it('is refused with a predicate of 50 MB', async () => {
    const large = statement([file('a', 'a')], { predicate: { text: 'x'.repeat(50_000_000) } })

    expect((await add(large)).statusCode).toBe(413)
  })

  it('is refused from the twenty-first on', async () => {
    for (let index = 0; index < 20; index++) await add(statement([file('a', String(index))]))

    expect((await add(statement([file('a', 'more')]))).json()).toMatchObject({
      type: '/problems/too-many-provenance-statements',
    })
  })

  it('is that of its own workspace and version', async () => {
    const { id } = (await add(one())).json<{ id: string }>()
    const other = await givenClient(test)
    const path = at(`provenance-statements/${id}`)
    const elsewhere = `/firmware-versions/${await givenFirmwareVersion(client)}/provenance-statements/${id}`

    expect((await other.get(path)).statusCode).toBe(404)
    expect((await client.get(elsewhere)).statusCode).toBe(404)
    expect((await client.delete(elsewhere)).statusCode).toBe(404)
  })
})

describe('the link from the image to devices', () => {
  const boot = async (deviceId: string, attributes: Record<string, string>) => {
    const version = await client.get(`/firmware-versions/${firmwareVersionId}`)
    const {
      firmware: { slug },
      name,
    } = version.json<{ firmware: { slug: string }; name: string }>()
    await client.post('/devices', { id: deviceId })
    await test.doors.intake.receive({
      workspaceId: client.workspaceId,
      deviceId,
      door: 'Http',
      receivedAt: test.ctx.now(),
      message: {
        kind: 'session',
        session: { runId: 'a', firmware: [{ slug, version: name }], attributes },
      },
    })
    return slug
  }
  const readDevices = async () => {
    const chain = await client.get(at('chain'))
    const { devices, links } = chain.json<{ devices: object; links: Link[] }>()
    return { devices, state: links.find(({ step }) => step === 'ImageToDevices')?.state }
  }

  it('is proved by hashes, stated by names, and differs where a device says otherwise', async () => {
    await putImage('another image')
    const other = sha256('another image')
    firmwareVersionId = await givenFirmwareVersion(client)
    await putImage()
    const counts = { running: 1, proved: 1, ofOther: 0, unknown: 0, notAHash: 0, named: 0 }

    const slug = await boot('a', { imageHash: sha256(IMAGE).toUpperCase() })
    expect(await readDevices()).toEqual({ state: 'Proved', devices: counts })
    await boot('b', {})
    expect(await readDevices()).toEqual({
      state: 'Stated',
      devices: { ...counts, running: 2, named: 1 },
    })
    await boot('c', { [`imageHash.${slug}`]: other })
    await boot('d', { imageHash: sha256('nobody uploaded this') })

    expect(await readDevices()).toEqual({
      state: 'Differs',
      devices: { running: 4, proved: 1, ofOther: 1, unknown: 1, notAHash: 0, named: 1 },
    })
  })
})

import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  parsedSboms,
  upload,
} from '../../../test/given.ts'
import { canonicalizeJson } from '../../formats/sbom-signatures/canonical-json.ts'
import { enqueueUnexaminedSboms } from './service.ts'

let test: TestApp
let client: Client
beforeEach(async () => {
  if (test === undefined) {
    test = await startTestApp()
    await test.startWorker()
  }
  client = await givenClient(test)
})

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

interface Verification {
  sbomId: string
  fileName: string
  state: string
  reason: string
  signatures: { trustedKey: { name: string } | null }[]
  beside: { id: string; fileName: string; kind: string }[]
}

const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: [{ type: 'library', name: 'openssl', version: '3.0.15' }],
}

function signInside(change: object = {}): string {
  const unsigned = { algorithm: 'ES256', publicKey: publicKey.export({ format: 'jwk' }) }
  const message = Buffer.from(canonicalizeJson({ ...BOM, signature: unsigned }))
  const value = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const signature = { ...unsigned, value: value.toString('base64url') }
  return JSON.stringify({ ...BOM, signature, ...change })
}

async function givenUploaded(bytes: string): Promise<string> {
  const firmwareVersionId = await givenFirmwareVersion(client)
  const files = [{ name: 'image.cdx.json', bytes }]
  expect((await upload(test, client, { firmwareVersionId, files })).statusCode).toBe(202)
  return firmwareVersionId
}

/** Once the SBOM has this state. */
async function waitFor(firmwareVersionId: string, state: string): Promise<Verification> {
  for (;;) {
    const answer = await client.get(`/firmware-versions/${firmwareVersionId}/sbom-signatures`)
    const [found] = answer.json<{ verifications: Verification[] }>().verifications
    if (found?.state === state) return found
    await delay(20)
  }
}

const trust = async (key: KeyObject, name = 'Release key') => {
  const pem = key.export({ type: 'spki', format: 'pem' }).toString()
  const made = await client.post('/trusted-keys', { name, key: pem })
  expect(made.statusCode).toBe(201)
  return made.json<{ id: string }>().id
}

describe('the signature of an SBOM', () => {
  it('is untrusted until its key is trusted, and again once the key is deleted', async () => {
    const version = await givenUploaded(signInside())
    await waitFor(version, 'Untrusted')

    const key = await trust(publicKey)
    const verified = await waitFor(version, 'Verified')
    await client.delete(`/trusted-keys/${key}`)
    await waitFor(version, 'Untrusted')

    expect(verified).toMatchObject({
      fileName: 'image.cdx.json',
      reason: 'Signed with the trusted key Release key.',
      signatures: [{ trustedKey: { name: 'Release key' } }],
    })
  })

  it('is read by the process that has read those before, also one that could not be read', async () => {
    const processes = () => {
      const children = Reflect.get(test.ctx.parsers, 'all') as ReadonlySet<ChildProcess>
      return [...children].map(({ pid }) => pid)
    }
    await waitFor(await givenUploaded(signInside()), 'Untrusted')
    const before = processes()

    const unreadable = await givenUploaded(JSON.stringify({ ...BOM, components: 7 }))
    await waitFor(unreadable, 'NotSigned')
    const [failed] = await parsedSboms(client, unreadable)
    for (const version of [2, 3])
      await waitFor(await givenUploaded(JSON.stringify({ ...BOM, version })), 'NotSigned')

    expect(failed).toMatchObject({ parsingState: 'Failed' })
    expect(before.length).toBeGreaterThan(0)
    expect(processes()).toEqual(before)
  })

  it('is broken once the document was changed, which refuses no upload', async () => {
    await trust(publicKey)
    const version = await givenUploaded(signInside({ version: 2 }))

    const { reason } = await waitFor(version, 'Broken')

    expect(reason).toContain('something was changed after it was signed')
    const { sboms } = (await client.get(`/firmware-versions/${version}/sboms`)).json<{
      sboms: { componentCount: number }[]
    }>()
    expect(sboms).toHaveLength(1)
  })

  it('stands beside the document too, verifies by a key that is added later, and can be taken away', async () => {
    const text = JSON.stringify(BOM)
    const version = await givenUploaded(text)
    const { sbomId } = await waitFor(version, 'NotSigned')
    const signature = sign('sha256', Buffer.from(text), privateKey).toString('base64')
    const body = { fileName: 'image.sig', signature }

    const added = await client.post(`/sboms/${sbomId}/signatures`, body)
    await waitFor(version, 'Untrusted')
    const again = await client.post(`/sboms/${sbomId}/signatures`, body)
    await trust(publicKey)
    const { beside } = await waitFor(version, 'Verified')
    const { id } = added.json<{ id: string }>()
    const deleted = await client.delete(`/sboms/${sbomId}/signatures/${id}`)
    await waitFor(version, 'NotSigned')

    expect([added.statusCode, again.statusCode, deleted.statusCode]).toEqual([201, 201, 204])
    expect(again.json()).toEqual(added.json())
    expect(beside).toEqual([added.json()])
  })

  it('is refused where it is none, and from the eleventh on', async () => {
    const version = await givenUploaded(JSON.stringify(BOM))
    const { sbomId } = await waitFor(version, 'NotSigned')
    const add = (signature: string) =>
      client.post(`/sboms/${sbomId}/signatures`, { fileName: 'a.sig', signature })
    const signOf = (text: string) =>
      sign('sha256', Buffer.from(text), privateKey).toString('base64')

    const wrong = await add('hello')
    const envelope = await add('{"payload": "", "payloadType": "x", "signatures": []}')
    for (let index = 0; index < 10; index++) await add(signOf(String(index)))
    const more = await add(signOf('more'))

    expect(wrong.json()).toMatchObject({ status: 400, errors: [{ pointer: '/signature' }] })
    expect(envelope.json()).toMatchObject({ status: 400, errors: [{ pointer: '/signature' }] })
    expect(more.json()).toMatchObject({ type: '/problems/too-many-sbom-signatures' })
  })

  it('is read of SBOMs that were uploaded before this version of the service', async () => {
    const version = await givenUploaded(signInside())
    await waitFor(version, 'Untrusted')
    await test.ctx.db
      .deleteFrom('sbomSignatureFacts')
      .where('workspaceId', '=', client.workspaceId)
      .execute()

    await enqueueUnexaminedSboms(test.ctx)

    expect((await waitFor(version, 'Untrusted')).signatures).toHaveLength(1)
  })
})

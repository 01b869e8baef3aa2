/** What one trusted key alone proves, through the API with real keys. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  parsedSboms,
  upload,
} from '../../../../test/given.ts'
import { putArtifact } from '../../../../test/given-artifacts.ts'
import { encodePae } from '../../../formats/dsse.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  await test.startWorker()
})
beforeEach(async () => {
  client = await givenClient(test)
})

const IMAGE = 'the bytes of the image'
const SBOM = '{"bomFormat":"CycloneDX","specVersion":"1.6","components":[]}'
const makeKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signBytes = (bytes: string, by: KeyObject) => sign('sha256', Buffer.from(bytes), by)

async function trust(name: string, { publicKey }: { publicKey: KeyObject }): Promise<string> {
  const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return (await client.post('/trusted-keys', { name, key })).json<{ id: string }>().id
}

async function addStatement(versionId: string, signers: readonly KeyObject[]): Promise<void> {
  const payload = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'gateway.bin', digest: { sha256: createHash('sha256').update(IMAGE).digest('hex') } },
    ],
    predicateType: 'https://example.com/other/v1',
    predicate: { versionId },
  })
  const payloadType = 'application/vnd.in-toto+json'
  const pae = encodePae(payloadType, Buffer.from(payload))
  const signatures = signers.map((by) => ({ sig: sign('sha256', pae, by).toString('base64') }))
  const statement = JSON.stringify({
    payloadType,
    payload: Buffer.from(payload).toString('base64'),
    signatures,
  })
  const path = `/firmware-versions/${versionId}/provenance-statements`
  const { statusCode } = await client.post(path, { fileName: 'a.intoto.json', statement })
  expect(statusCode).toBe(201)
}

const readProofs = async (keyId: string) => {
  const response = await client.get(`/trusted-keys/${keyId}/proofs`)
  expect(response.statusCode).toBe(200)
  return response.json<{ versionCount: number; versions: { id: string }[] }>()
}

const NONE = { versionCount: 0, versions: [], imageCount: 0, statementCount: 0, sbomCount: 0 }

describe('the proofs of a trusted key', () => {
  it('are the files that it alone verifies, in their versions', async () => {
    const [release, second] = [makeKey(), makeKey()]
    const ids = [await trust('Release', release), await trust('Second', second)] as const
    const [alone, both, unsigned] = [
      await givenFirmwareVersion(client),
      await givenFirmwareVersion(client),
      await givenFirmwareVersion(client),
    ]
    await addStatement(alone, [release.privateKey])
    await addStatement(both, [release.privateKey, second.privateKey])
    await addStatement(unsigned, [makeKey().privateKey])

    expect(await readProofs(ids[0])).toMatchObject({
      ...NONE,
      versionCount: 1,
      versions: [{ id: alone }],
      statementCount: 1,
      uncheckedCount: 0,
    })
    expect(await readProofs(ids[1])).toMatchObject(NONE)
    // What it told comes true.
    await client.delete(`/trusted-keys/${ids[0]}`)
    const states = async (id: string) => {
      const { body } = await client.get(`/firmware-versions/${id}/provenance-statements`)
      return body.includes('"Verified"')
    }
    expect([await states(alone), await states(both)]).toEqual([false, true])
    expect(await readProofs(ids[1])).toMatchObject({ versionCount: 1, versions: [{ id: both }] })
  })

  it('count images and SBOMs, and what nobody has checked yet', async () => {
    const release = makeKey()
    const keyId = await trust('Release', release)
    const versionId = await givenFirmwareVersion(client)
    await putArtifact(test, client, {
      firmwareVersionId: versionId,
      bytes: IMAGE,
      query: { fileName: 'gateway.bin' },
    })
    await client.post(`/firmware-versions/${versionId}/artifact/signatures`, {
      fileName: 'gateway.bin.sig',
      signature: signBytes(IMAGE, release.privateKey).toString('base64'),
    })
    await upload(test, client, {
      firmwareVersionId: versionId,
      files: [{ name: 'a.cdx.json', bytes: SBOM }],
    })
    const [sbom] = await parsedSboms(client, versionId)
    await client.post(`/sboms/${sbom?.id ?? ''}/signatures`, {
      fileName: 'a.cdx.json.sig',
      signature: signBytes(SBOM, release.privateKey).toString('base64'),
    })

    await expect
      .poll(() => readProofs(keyId), { timeout: 60_000 })
      .toMatchObject({
        versionCount: 1,
        versions: [{ id: versionId }],
        imageCount: 1,
        sbomCount: 1,
        statementCount: 0,
        uncheckedCount: 0,
      })
    for (const table of ['imageFacts', 'sbomSignatureFacts'] as const)
      await test.ctx.db.deleteFrom(table).where('workspaceId', '=', client.workspaceId).execute()
    expect(await readProofs(keyId)).toMatchObject({ ...NONE, uncheckedCount: 2 })
  })

  it('are not told of a key that is not there, nor to another workspace', async () => {
    const keyId = await trust('Release', makeKey())
    await addStatement(await givenFirmwareVersion(client), [makeKey().privateKey])
    const other = await givenClient(test)

    for (const asked of [`/trusted-keys/${keyId}/proofs`, '/trusted-keys/none/proofs'])
      expect((await other.get(asked)).json()).toMatchObject({
        status: 404,
        type: '/problems/trusted-key-not-found',
      })
    expect(await readProofs(keyId)).toMatchObject(NONE)
  })
})

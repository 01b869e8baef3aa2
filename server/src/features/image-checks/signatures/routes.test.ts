import { generateKeyPairSync, sign } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../../test/given.ts'
import { putArtifact } from '../../../../test/given-artifacts.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  await test.startWorker()
})

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signOf = (bytes: string) => sign('sha256', Buffer.from(bytes), privateKey).toString('base64')

async function givenArtifact(bytes: string): Promise<string> {
  const firmwareVersionId = await givenFirmwareVersion(client)
  await putArtifact(test, client, { firmwareVersionId, bytes })
  return `/firmware-versions/${firmwareVersionId}`
}

/** Once the artifact has this state. */
async function waitFor(path: string, state: string): Promise<void> {
  for (;;) {
    const { body } = await client.get(`${path}/image-verifications`)
    if (body.includes(`"state":"${state}"`)) return
    await delay(20)
  }
}

describe('a signature beside an artifact', () => {
  it('verifies it, is listed, and no longer does once it is deleted', async () => {
    await client.post('/trusted-keys', {
      name: 'Release key',
      key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    })
    const path = await givenArtifact('firmware')
    await waitFor(path, 'FormatNotKnown')

    const signature = signOf('firmware')
    const added = await client.post(`${path}/artifact/signatures`, { fileName: 'a.sig', signature })
    await waitFor(path, 'Verified')
    const again = await client.post(`${path}/artifact/signatures`, { fileName: 'b.sig', signature })
    const listed = await client.get(`${path}/artifact/signatures`)
    const { id } = added.json<{ id: string }>()
    const deleted = await client.delete(`${path}/artifact/signatures/${id}`)
    await waitFor(path, 'FormatNotKnown')

    expect([added.statusCode, again.statusCode, deleted.statusCode]).toEqual([201, 201, 204])
    expect(again.json()).toEqual(added.json())
    expect(listed.json()).toEqual({ signatures: [added.json()] })
  })

  it('is none of the bytes that took the place of those that were signed', async () => {
    const path = await givenArtifact('one firmware')
    const signature = signOf('one firmware')
    await client.post(`${path}/artifact/signatures`, { fileName: 'a.sig', signature })

    const firmwareVersionId = path.split('/').at(-1) ?? ''
    await putArtifact(test, client, { firmwareVersionId, bytes: 'another firmware' })
    await waitFor(path, 'FormatNotKnown')

    const listed = await client.get(`${path}/artifact/signatures`)
    expect(listed.json()).toEqual({ signatures: [] })
  })

  it('stands beside a part as well, and says nothing of the image', async () => {
    const path = await givenArtifact('full image')
    const firmwareVersionId = path.split('/').at(-1) ?? ''
    const role = 'bootloader'
    await putArtifact(test, client, { firmwareVersionId, role, bytes: 'boot loader' })
    const given = { fileName: 'a.sig', signature: signOf('boot loader') }
    const add = (body: object) => client.post(`${path}/artifact/signatures`, { ...given, ...body })

    const added = await add({ role })
    await waitFor(path, 'Verified')
    const absent = await add({ role: 'rootfs' })
    const listed = await client.get(`${path}/artifact/signatures`)

    expect(added.json()).toMatchObject({ role, baseVersionId: null })
    expect(absent.statusCode).toBe(404)
    expect(listed.json()).toEqual({ signatures: [added.json()] })
    const states = await client.get(`${path}/image-verifications`)
    expect(states.json()).toMatchObject({
      verifications: [
        { role: 'image', state: 'FormatNotKnown' },
        { role, state: 'Verified' },
      ],
    })
  })

  it('is refused where it is none, where there is no artifact, and from the eleventh on', async () => {
    const path = await givenArtifact('firmware')
    const add = (signature: string, at = path) =>
      client.post(`${at}/artifact/signatures`, { fileName: 'a.sig', signature })
    const without = `/firmware-versions/${await givenFirmwareVersion(client)}`

    const wrong = await add('hello')
    const early = await add(signOf('firmware'), without)
    for (let index = 0; index < 10; index++) await add(signOf('firmware'))
    const more = await add(signOf('firmware'))

    expect(wrong.json()).toMatchObject({ status: 400, errors: [{ pointer: '/signature' }] })
    expect(early.json()).toMatchObject({ type: '/problems/artifact-not-found' })
    expect(more.json()).toMatchObject({ type: '/problems/too-many-artifact-signatures' })
  })
})

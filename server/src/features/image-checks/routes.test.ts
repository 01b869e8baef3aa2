import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient, givenFirmwareVersion } from '../../../test/given.ts'
import { putArtifact } from '../../../test/given-artifacts.ts'
import { makeMcubootImage } from '../../../test/given-mcuboot.ts'
import { entryHeader, entryOf } from '../../../test/given-swu.ts'
import { SHALLOW } from '../../../test/doctor.ts'
import { CHECKS, examine } from '../../admin/doctor.ts'
import { ArtifactStored } from '../artifacts/index.ts'
import { enqueueUnexamined } from './service.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  await test.startWorker()
})

interface Verified {
  state: string
  reason: string
  testKey: string | null
  isNamedVersion: boolean | null
  statement: { version: string | null; securityCounter: number | null }
  signatures: { trustedKey: { name: string } | null }[]
}

/** Once the file was checked. */
async function readVerification(firmwareVersionId: string, of = client): Promise<Verified> {
  for (;;) {
    const answer = await of.get(`/firmware-versions/${firmwareVersionId}/image-verifications`)
    const [found] = answer.json<{ verifications: Verified[] }>().verifications
    if (found && found.state !== 'Checking') return found
    await delay(20)
  }
}

/** Once the key was tried. */
async function readVerified(firmwareVersionId: string): Promise<Verified> {
  for (;;) {
    const found = await readVerification(firmwareVersionId)
    if (found.state !== 'Untrusted') return found
    await delay(20)
  }
}

async function givenImage(keys: readonly KeyObject[], of = client): Promise<string> {
  const firmwareVersionId = await givenFirmwareVersion(of)
  const bytes = makeMcubootImage({ keys, securityCounter: 3 })
  const put = await putArtifact(test, of, { firmwareVersionId, bytes })
  expect(put.statusCode).toBe(201)
  return firmwareVersionId
}

type VerifiedFile = Verified & { role: string; baseVersion: string | null; examinedAt: string }

/** Once all files of the version were checked. */
async function readAll(firmwareVersionId: string): Promise<VerifiedFile[]> {
  for (;;) {
    const answer = await client.get(`/firmware-versions/${firmwareVersionId}/image-verifications`)
    const { verifications } = answer.json<{ verifications: VerifiedFile[] }>()
    if (verifications.every(({ state }) => state !== 'Checking')) return verifications
    await delay(20)
  }
}

/** A version with a signed image, a signed delta from 2.4.0, and a boot loader that nobody signed. */
const givenFurther = async (key: KeyObject) => (await givenDelta(key)).firmwareVersionId

async function givenDelta(
  key: KeyObject,
): Promise<{ firmwareVersionId: string; baseVersionId: string }> {
  const create = async (path: string, body: object) =>
    (await client.post(path, body)).json<{ id: string }>().id
  const firmwareId = await create('/firmwares', { slug: `fw-${crypto.randomUUID()}` })
  const baseVersionId = await create(`/firmwares/${firmwareId}/versions`, { name: '2.4.0' })
  const firmwareVersionId = await create(`/firmwares/${firmwareId}/versions`, { name: '2.4.1' })
  const make = (keys: KeyObject[]) => makeMcubootImage({ keys, securityCounter: 3 })
  await putArtifact(test, client, { firmwareVersionId, bytes: make([key]) })
  for (const sent of [
    { role: 'delta', query: { baseVersionId }, bytes: make([key]) },
    { role: 'bootloader', bytes: make([]) },
  ])
    expect((await putArtifact(test, client, { firmwareVersionId, ...sent })).statusCode).toBe(201)
  return { firmwareVersionId, baseVersionId }
}

const examineFacts = () =>
  examine(test.ctx, {
    checks: CHECKS.filter(({ name }) => name === 'image-facts'),
    workspaceIds: [client.workspaceId],
    repairs: false,
    ...SHALLOW,
  })

const countOpenJobs = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pgboss.job where name = ${ArtifactStored.name} and state <= 'active'`.execute(
    test.ctx.db,
  )
  return rows[0]?.count
}

function putNumber(bytes: Buffer, at: number, hex: string): Buffer {
  Buffer.from(hex, 'hex').copy(bytes, at)
  return bytes
}

const makeSwu = () =>
  Buffer.concat([
    entryOf('sw-description', Buffer.from('software = { version = "1"; }')),
    entryOf('TRAILER!!!', Buffer.alloc(0)),
  ])

/** A payload, the beginning of a message of CMS, and what is said of its size at the end. */
function makeBundle(messageBytes: number | bigint): Buffer {
  const message = Buffer.alloc(70_000)
  message.set([0x30, 0x83, 0x01, 0x11, 0x6b])
  const size = Buffer.alloc(8)
  size.writeBigUInt64BE(BigInt(messageBytes))
  return Buffer.concat([Buffer.alloc(8_192, 0x5a), message, size])
}

const trust = (key: KeyObject, name: string, of = client) =>
  of.post('/trusted-keys', {
    name,
    key: key.export({ type: 'spki', format: 'pem' }).toString(),
  })

describe('the verification of an artifact', () => {
  it('follows the trusted keys: untrusted, verified once the key is trusted, untrusted when it is not any more', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const version = await givenImage([privateKey])
    const before = await readVerification(version)

    const created = await trust(publicKey, 'Release key')
    const trusted = await readVerified(version)
    const { id } = created.json<{ id: string }>()
    const deleted = await client.delete(`/trusted-keys/${id}`)
    const after = await readVerification(version)

    expect([created.statusCode, deleted.statusCode]).toEqual([201, 204])
    expect([before.state, trusted.state, after.state]).toEqual([
      'Untrusted',
      'Verified',
      'Untrusted',
    ])
    expect(trusted.signatures[0]?.trustedKey?.name).toBe('Release key')
    expect(trusted.statement).toMatchObject({ version: '2.4.1', securityCounter: 3 })
  })

  it('is not helped by a key that another workspace trusts', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const other = await givenClient(test)
    await trust(publicKey, 'Theirs', other)
    const theirs = await givenImage([privateKey], other)

    const version = await givenImage([privateKey])

    expect((await readVerification(theirs, other)).state).toBe('Verified')
    expect((await readVerification(version)).state).toBe('Untrusted')
    const asked = await other.get(`/firmware-versions/${version}/image-verifications`)
    expect(asked.statusCode).toBe(404)
  })

  it('says that a file of an unknown format was not checked', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)
    await putArtifact(test, client, { firmwareVersionId, bytes: 'any bytes' })

    expect((await readVerification(firmwareVersionId)).state).toBe('FormatNotKnown')
  })

  it('is that of the new file after another one took its place', async () => {
    const firmwareVersionId = await givenImage([])
    expect((await readVerification(firmwareVersionId)).state).toBe('NotSigned')

    await putArtifact(test, client, { firmwareVersionId, bytes: 'any bytes' })

    expect((await readVerification(firmwareVersionId)).state).toBe('FormatNotKnown')
  })

  it('is made for artifacts that were there before the service could', async () => {
    const firmwareVersionId = await givenImage([])
    await readVerification(firmwareVersionId)
    await test.ctx.db.deleteFrom('imageFacts').execute()

    await enqueueUnexamined(test.ctx)

    expect((await readVerification(firmwareVersionId)).state).toBe('NotSigned')
  })

  it('is made of deltas and parts, too, each with its role, and of those from before', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const version = await givenFurther(privateKey)

    const checked = await readAll(version)
    await test.ctx.db.deleteFrom('imageFacts').execute()
    await enqueueUnexamined(test.ctx)
    const again = await readAll(version)

    expect(checked.map(({ role, baseVersion, state }) => [role, baseVersion, state])).toEqual([
      ['image', null, 'Untrusted'],
      ['bootloader', null, 'NotSigned'],
      ['delta', '2.4.0', 'Untrusted'],
    ])
    const told = (of: typeof checked) => of.map(({ examinedAt: _at, ...one }) => one)
    expect(told(again)).toEqual(told(checked))
  })

  it('goes with the bytes: replaced, deleted, or of a delta whose base is deleted', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const { firmwareVersionId, baseVersionId } = await givenDelta(privateKey)
    const before = await readAll(firmwareVersionId)

    await putArtifact(test, client, { firmwareVersionId, bytes: 'other bytes' })
    await client.delete(`/firmware-versions/${firmwareVersionId}/artifacts/bootloader`)
    const deleted = await client.delete(`/firmware-versions/${baseVersionId}`)
    const after = await readAll(firmwareVersionId)

    expect(before).toHaveLength(3)
    expect(deleted.statusCode).toBe(204)
    expect(after.map(({ role, state }) => [role, state])).toEqual([['image', 'FormatNotKnown']])
    expect(await examineFacts()).toMatchObject([{ state: 'Clean', notJudged: [] }])
  })

  it('is not made again by a message that comes again', async () => {
    const firmwareVersionId = await givenImage([])
    const [before] = await readAll(firmwareVersionId)
    const { db, queue } = test.ctx
    const { workspaceId } = client
    const { blobId } = await db
      .selectFrom('firmwareArtifacts')
      .select('blobId')
      .where('workspaceId', '=', workspaceId)
      .where('firmwareVersionId', '=', firmwareVersionId)
      .executeTakeFirstOrThrow()

    for (let index = 0; index < 3; index++)
      await db
        .transaction()
        .execute((tx) =>
          queue.enqueue(tx, ArtifactStored, { workspaceId, firmwareVersionId, blobId }),
        )
    await expect.poll(countOpenJobs, { timeout: 30_000 }).toBe(0)

    expect(await readAll(firmwareVersionId)).toEqual([before])
  })

  it.each`
    what                                             | make                                                                        | state
    ${'an image of MCUboot of 4 GiB'}                | ${() => putNumber(makeMcubootImage(), 12, 'f0ffffff')}                      | ${'Broken'}
    ${'a header of MCUboot that is longer than all'} | ${() => putNumber(makeMcubootImage(), 8, 'ffff')}                           | ${'Broken'}
    ${'protected TLVs where none are'}               | ${() => putNumber(makeMcubootImage(), 10, '1000')}                          | ${'Broken'}
    ${'a member of cpio of 4 GiB'}                   | ${() => entryHeader('sw-description', 0xffff_ffff, 0)}                      | ${'Broken'}
    ${'a name in cpio of 4 GiB'}                     | ${() => putNumber(makeSwu(), 94, Buffer.from('ffffffff').toString('hex'))}  | ${'Broken'}
    ${'a checksum in cpio of other bytes'}           | ${() => putNumber(makeSwu(), 102, Buffer.from('00000001').toString('hex'))} | ${'Broken'}
    ${'a bundle whose message has 70,000 bytes'}     | ${() => makeBundle(70_000)}                                                 | ${'Broken'}
    ${'a bundle whose message has 2 bytes'}          | ${() => makeBundle(2)}                                                      | ${'FormatNotKnown'}
    ${'a bundle whose message has 2⁶³ bytes'}        | ${() => makeBundle(0x8000_0000_0000_0000n)}                                 | ${'FormatNotKnown'}
  `(
    'of $what is $state, as sizes that lie are not believed',
    async ({ make, state }: { make: () => Buffer; state: string }) => {
      const firmwareVersionId = await givenFirmwareVersion(client)
      const bytes = make()
      expect((await putArtifact(test, client, { firmwareVersionId, bytes })).statusCode).toBe(201)

      const found = await readVerification(firmwareVersionId)

      expect(found.state).toBe(state)
      expect(found.reason).toMatch(/\.$/)
    },
  )

  it('is empty for a version without an artifact', async () => {
    const firmwareVersionId = await givenFirmwareVersion(client)

    const answer = await client.get(`/firmware-versions/${firmwareVersionId}/image-verifications`)

    expect(answer.json()).toEqual({ verifications: [] })
  })
})

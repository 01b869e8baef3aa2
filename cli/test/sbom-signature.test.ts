/** Whether a key signed a document, without a service and with one, as openssl and a build that writes CycloneDX sign it. */
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { givenClient, parsedSboms } from '../../server/test/given.ts'
import { canonicalizeJson } from '../../server/src/formats/sbom-signatures/canonical-json.ts'
import { EXIT } from '../src/exit-codes.ts'
import { givenFile, givenSbom, runPlimsoll, startService } from './service.ts'

const OFFLINE = { PLIMSOLL_URL: 'http://127.0.0.1:9', PLIMSOLL_API_KEY: '' }
const check = (file: string, ...more: string[]) =>
  runPlimsoll(OFFLINE, ['sbom', 'check', file, ...more])

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const other = generateKeyPairSync('ed25519')
const pemOf = (key: typeof publicKey) => key.export({ type: 'spki', format: 'pem' }).toString()

function givenSigned(change: object = {}): string {
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: [] }
  const unsigned = { algorithm: 'ES256', keyId: 'release' }
  const message = Buffer.from(canonicalizeJson({ ...document, signature: unsigned }))
  const value = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const signature = { ...unsigned, value: value.toString('base64url') }
  return givenFile('image.json', JSON.stringify({ ...document, signature, ...change }, null, 2))
}

describe('plimsoll sbom check --keys', () => {
  it('verifies a signature inside the document by any key of the file, and says by which', async () => {
    const keys = givenFile('keys.pem', pemOf(other.publicKey) + pemOf(publicKey))

    const { exitCode, stdout } = await check(givenSigned(), '--keys', keys)

    expect(stdout).toBe(`image.json: Verified. Signed with the trusted key ${keys}, 2 of 2.\n`)
    expect(exitCode).toBe(EXIT.ok)
  })

  it('fails for a changed document and for other keys, with the reason', async () => {
    const keys = givenFile('keys.pem', pemOf(publicKey))
    const changed = await check(givenSigned({ version: 2 }), '--keys', keys)
    const others = givenFile('others.pem', pemOf(other.publicKey))
    const untrusted = await check(givenSigned(), '--keys', others, '--json')

    expect([changed.exitCode, untrusted.exitCode]).toEqual([
      EXIT.imageNotVerified,
      EXIT.imageNotVerified,
    ])
    expect(changed.stdout).toContain('or the document was changed')
    expect(JSON.parse(untrusted.stdout)).toMatchObject({
      state: 'Untrusted',
      fileName: 'image.json',
    })
  })

  it('verifies what openssl wrote beside the document', async () => {
    const file = givenSbom('image.json', [{ name: 'openssl', version: '3' }])
    const key = givenFile('key.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    const signature = join(dirname(file), 'image.json.sig')
    execFileSync('openssl', ['dgst', '-sha256', '-sign', key, '-out', signature, file])
    const keys = givenFile('keys.pem', pemOf(publicKey))

    const verified = await check(file, '--keys', keys, '--signature', signature)
    const without = await check(file, '--keys', keys)

    expect(readFileSync(signature).length).toBeGreaterThan(60)
    expect(verified.stdout).toContain('Verified')
    expect([verified.exitCode, without.exitCode]).toEqual([EXIT.ok, EXIT.imageNotVerified])
    expect(without.stdout).toContain('NotSigned')
  })

  it.each([
    ['--keys belongs', ['--signature', 'x'], '--signature belongs to --keys'],
    ['a private key', ['--keys', 'private'], 'This is a private key'],
    ['no key', ['--keys', 'words'], 'no key that is known here'],
    ['both', ['--keys', 'words', '--profile', 'bsi'], 'calls of their own'],
  ])('refuses %s in words', async (_name, options, words) => {
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const files = new Map([
      ['private', givenFile('private.pem', pem)],
      ['words', givenFile('words.txt', 'hello')],
    ])
    const given = options.map((one) => files.get(one) ?? one)

    const { exitCode, stderr } = await check(givenSigned(), ...given)

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain(words)
  })
})

describe('plimsoll sbom verify', () => {
  it('fails until a trusted key has signed each SBOM, inside or beside the document', async () => {
    const service = await startService({ withWorker: true })
    const client = await givenClient(service)
    const environment = service.environmentOf(client)
    const run = (...words: string[]) => runPlimsoll(environment, words)
    const verify = () => run('sbom', 'verify', 'gateway@1')
    await client.post('/trusted-keys', { name: 'Pipeline', key: pemOf(publicKey) })
    const none = givenSbom('plain.json', [{ name: 'openssl', version: '3' }])

    await run('sbom', 'upload', '--create', 'gateway@1', givenSigned())
    const inside = await verify()
    const uploaded = await run('sbom', 'upload', 'gateway@1', none, '--json')
    const { firmwareVersionId, sboms } = JSON.parse(uploaded.stdout) as {
      firmwareVersionId: string
      sboms: { id: string }[]
    }
    await parsedSboms(client, firmwareVersionId)
    const without = await verify()
    const signature = sign('sha256', readFileSync(none), privateKey)
    const file = givenFile('plain.json.sig', signature.toString('base64'))
    const added = await run('sbom', 'signature', 'add', sboms[0]?.id ?? '', file, '--quiet')
    const beside = await waitForVerified(verify)
    await run('sbom', 'signature', 'delete', sboms[0]?.id ?? '', added.stdout.trim(), '--yes')

    expect([inside.exitCode, without.exitCode]).toEqual([EXIT.ok, EXIT.imageNotVerified])
    expect(inside.stdout).toContain('image.json: Verified. Signed with the trusted key Pipeline.')
    expect(without.stdout).toContain('plain.json: NotSigned. Neither')
    expect(beside).toContain('plain.json: Verified. Signed with the trusted key Pipeline.')
    await expect.poll(async () => (await verify()).stdout).toContain('plain.json: NotSigned.')
  })

  it('fails where there is no SBOM, and says so', async () => {
    const service = await startService({ withWorker: false })
    const client = await givenClient(service)
    const firmware = await client.post('/firmwares', { slug: 'gateway' })
    const path = `/firmwares/${firmware.json<{ id: string }>().id}/versions`
    await client.post(path, { name: '1' })

    const result = await runPlimsoll(service.environmentOf(client), ['sbom', 'verify', 'gateway@1'])

    expect(result.exitCode).toBe(EXIT.imageNotVerified)
    expect(result.stderr).toContain('The version has no SBOM, so nothing is verified.')
  })
})

/** It is checked again in the background. */
async function waitForVerified(verify: () => Promise<{ exitCode: number; stdout: string }>) {
  await expect.poll(async () => (await verify()).exitCode).toBe(EXIT.ok)
  return (await verify()).stdout
}

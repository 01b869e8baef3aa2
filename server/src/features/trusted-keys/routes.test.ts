import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

const makeKey = () =>
  generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString()

const problem = (slug: string) => ({ type: `/problems/${slug}` })

interface Key {
  id: string
  name: string
  fingerprint: string
}

/** From the documentation of minisign. */
const MINISIGN =
  'untrusted comment: minisign public key\nRWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n'

const CERTIFICATE = `-----BEGIN CERTIFICATE-----
CERT
-----END CERTIFICATE-----
`

describe('trusted keys', () => {
  it('are listed by name, with kind, algorithm and fingerprint', async () => {
    const own = await givenClient(test)
    await own.post('/trusted-keys', { name: 'Release', purpose: 'Gateways', key: makeKey() })
    await own.post('/trusted-keys', { name: 'Minisign', key: MINISIGN })

    const { trustedKeys } = (await own.get('/trusted-keys')).json<{ trustedKeys: Key[] }>()

    expect(trustedKeys).toMatchObject([
      { name: 'Minisign', minisignKeyId: 'E7620F1842B4E81F', algorithm: 'Ed25519', purpose: null },
      { name: 'Release', kind: 'PublicKey', purpose: 'Gateways', endsAt: null, testKey: null },
    ])
    expect(trustedKeys[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  })

  it('are named as test keys where everybody has their private part', async () => {
    const key =
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA1LMbpJo63T+CXRDKfzG1Cw3ofzfMxJ8aQDpcEyD/tOA=\n-----END PUBLIC KEY-----'

    const created = await client.post('/trusted-keys', { name: 'Copied from an example', key })

    expect(created.json()).toMatchObject({ testKey: 'MCUboot’s published root-ed25519.pem' })
  })

  it.each`
    what                            | key
    ${'a private key'}              | ${'-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----'}
    ${'two keys'}                   | ${makeKey() + makeKey()}
    ${'a certificate that is none'} | ${CERTIFICATE}
    ${'any text'}                   | ${'hello'}
    ${'a short RSA key'}            | ${generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' })}
    ${'a curve that nobody checks'} | ${generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ type: 'spki', format: 'pem' })}
    ${'a key for X25519'}           | ${generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' })}
  `('refuse $what, with the member that is wrong', async ({ key }: { key: string }) => {
    const refused = await client.post('/trusted-keys', { name: 'Wrong', key })

    expect(refused.statusCode).toBe(400)
    expect(refused.json<{ errors: { pointer: string }[] }>().errors[0]?.pointer).toBe('/key')
  })

  it('are trusted once, and have a name each', async () => {
    const own = await givenClient(test)
    const key = makeKey()
    await own.post('/trusted-keys', { name: 'One', key })

    const again = await own.post('/trusted-keys', { name: 'Two', key })
    const sameName = await own.post('/trusted-keys', { name: 'One', key: makeKey() })

    expect(again.json()).toMatchObject(problem('trusted-key-exists'))
    expect(sameName.json()).toMatchObject(problem('trusted-key-name-taken'))
  })

  it('are renamed, and deleted for good', async () => {
    const created = await client.post('/trusted-keys', { name: 'Old name', key: makeKey() })
    const path = `/trusted-keys/${created.json<Key>().id}`

    const renamed = await client.put(path, { name: 'New name', purpose: 'Sensors' })
    const deleted = await client.delete(path)

    expect(renamed.json()).toMatchObject({ name: 'New name', purpose: 'Sensors' })
    expect(deleted.statusCode).toBe(204)
    expect((await client.get(path)).json()).toMatchObject(problem('trusted-key-not-found'))
    const log = (await client.get('/audit-log?limit=1')).body
    expect(log).toContain('trusted-key.delete')
  })

  it('of another workspace are not there', async () => {
    const created = await client.post('/trusted-keys', { name: 'Ours', key: makeKey() })
    const other = await givenClient(test)

    const got = await other.get(`/trusted-keys/${created.json<Key>().id}`)

    expect(got.statusCode).toBe(404)
  })
})

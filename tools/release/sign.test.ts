import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { writeChecksums } from './build.ts'
import { runCommand } from './command.ts'
import type { ReleaseFacts } from './facts.ts'
import { readSigningKey, signChecksums } from './sign.ts'

const dist = mkdtempSync(join(tmpdir(), 'plimsoll-signed-'))
const keys = mkdtempSync(join(tmpdir(), 'plimsoll-keys-'))
const facts: ReleaseFacts = {
  version: '1.2.3',
  epoch: 1_700_000_000,
  platform: { os: 'linux', arch: 'x64', debian: 'amd64' },
}
const [key, publicKey] = [join(keys, 'release.pem'), join(keys, 'release.pub')]

beforeAll(async () => {
  await runCommand('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', key])
  await runCommand('openssl', ['pkey', '-in', key, '-pubout', '-out', publicKey])
  writeFileSync(join(dist, 'plimsoll-server-1.2.3.tar.gz'), 'the server')
  await writeChecksums(facts, dist)
  signChecksums(dist, readSigningKey(key))
})

afterAll(() => {
  for (const folder of [dist, keys]) rmSync(folder, { recursive: true })
})

/** As the guide says. */
const VERIFY =
  'openssl pkeyutl -verify -pubin -inkey "$KEY" -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig'
const verify = () =>
  runCommand('sh', ['-c', VERIFY], { cwd: dist, env: { ...process.env, KEY: publicKey } })

it('is verified by OpenSSL and sha256sum, until anything is changed', async () => {
  const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8')

  const signature = await verify()
  const files = await runCommand('sha256sum', ['--check', 'SHA256SUMS'], { cwd: dist })
  writeFileSync(join(dist, 'SHA256SUMS'), sums.replace('server', 'Server'))

  expect(signature).toContain('Signature Verified Successfully')
  expect(files).toContain('plimsoll-server-1.2.3.tar.gz: OK')
  expect(files).toContain('plimsoll-1.2.3.provenance.json: OK')
  await expect(verify()).rejects.toThrow()
})

it('states from what the files were made', () => {
  const statement = JSON.parse(
    readFileSync(join(dist, 'plimsoll-1.2.3.provenance.json'), 'utf8'),
  ) as { subject: { name: string; digest: { sha256: string } }[]; predicateType: string }

  expect(statement.subject).toEqual([
    {
      name: 'plimsoll-server-1.2.3.tar.gz',
      digest: {
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    },
  ])
  expect(statement.predicateType).toBe('https://slsa.dev/provenance/v1')
})

it('refuses a key that is none of its kind before it builds', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const other = join(keys, 'other.pem')
  writeFileSync(other, privateKey.export({ type: 'pkcs8', format: 'pem' }))

  expect(() => readSigningKey(other)).toThrow('is no Ed25519 key. This makes one: openssl genpkey')
})

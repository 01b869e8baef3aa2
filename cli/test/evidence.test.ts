/** A bundle in the terminal: made, verified, and found out when anything of it was touched. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { closeAtEndOfFile } from '../../server/test/end-of-file.ts'
import { givenFleet } from '../../server/test/given-fleet.ts'
import { propertyRuns } from '../../server/test/property-runs.ts'
import { verifyEvidence } from '../src/evidence-bundle.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, runPlimsoll, startService } from './service.ts'

let environment: Environment
let folder: string
let bundle: string

const run = (...args: string[]) => runPlimsoll(environment, args)

beforeAll(async () => {
  const service = await startService({ withWorker: false })
  const fleet = await givenFleet(service, 2)
  environment = service.environmentOf(fleet.client)
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-evidence-'))
  closeAtEndOfFile(() => rmSync(folder, { recursive: true }))
  bundle = join(folder, 'bundle.tar')
  const line = ['--name', 'Edge gateway', '--manufacturer', 'Acme', '--firmware', 'gateway']
  await run('product-line', 'create', ...line)
  const made = await run('evidence', 'create', 'Edge gateway', '--output', bundle)
  expect(made).toMatchObject({ exitCode: EXIT.ok, stderr: `Wrote ${bundle}.\n` })
})

function unpack(): string {
  const unpacked = mkdtempSync(join(folder, 'unpacked-'))
  execFileSync('tar', ['--extract', '--file', bundle], { cwd: unpacked })
  return unpacked
}

it('verifies a bundle as a file and as a folder, with the key inside and with that of the service', async () => {
  const keys = await run('evidence', 'keys', '--json')
  const [key] = (JSON.parse(keys.stdout) as { keys: { publicKey: string; fingerprint: string }[] })
    .keys
  const path = join(folder, 'key.pem')
  writeFileSync(path, key?.publicKey ?? '')

  const packed = await run('evidence', 'verify', bundle)
  const unpacked = await run('evidence', 'verify', unpack(), '--key', path)

  expect(packed).toMatchObject({ exitCode: EXIT.ok, stderr: '' })
  expect(packed.stdout).toContain(key?.fingerprint)
  expect(packed.stdout).toContain('Compare the key')
  expect(unpacked).toMatchObject({ exitCode: EXIT.ok, stderr: '' })
})

const TOUCHED: Readonly<Record<string, readonly [(at: string) => void, RegExp]>> = {
  'a byte changed': [
    (at) => {
      const bytes = readFileSync(join(at, 'findings.csv'))
      bytes[3] = (bytes[3] ?? 0) ^ 1
      writeFileSync(join(at, 'findings.csv'), bytes)
    },
    /^changed: findings\.csv$/m,
  ],
  'a file cut': [(at) => truncateSync(join(at, 'INDEX.html'), 40), /^changed: INDEX\.html$/m],
  'a file renamed': [
    (at) => renameSync(join(at, 'uptake.csv'), join(at, 'other.csv')),
    /^renamed: uptake\.csv is other\.csv now$/m,
  ],
  'a file removed': [(at) => rmSync(join(at, 'versions.csv')), /^missing: versions\.csv$/m],
  'a file added': [(at) => writeFileSync(join(at, 'note.txt'), ''), /^added: note\.txt$/m],
  'a sum changed with its file': [
    (at) => {
      writeFileSync(join(at, 'README.txt'), 'other')
      const sums = execFileSync(
        'sh',
        ['-c', 'grep -v " README.txt" SHA256SUMS; sha256sum README.txt'],
        { cwd: at },
      )
      writeFileSync(join(at, 'SHA256SUMS'), sums)
    },
    /^SHA256SUMS was not signed by this key/m,
  ],
  'no signature': [(at) => rmSync(join(at, 'SHA256SUMS.sig')), /^SHA256SUMS\.sig is missing\.$/m],
  'no sums': [(at) => writeFileSync(join(at, 'SHA256SUMS'), 'x'), /^SHA256SUMS is not a list/m],
}

it.each(Object.keys(TOUCHED))('names what differs: %s', async (name) => {
  const [touch, says] = TOUCHED[name] ?? []
  const unpacked = unpack()
  touch?.(unpacked)

  const { exitCode, stdout } = await run('evidence', 'verify', unpacked)

  expect(stdout).toMatch(says ?? /never/)
  expect(exitCode).toBe(EXIT.evidenceDiffers)
})

it('finds a bundle that another key signed, when it is told the key', async () => {
  const other = join(folder, 'other.pem')
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', `${other}.key`])
  execFileSync('openssl', ['pkey', '-in', `${other}.key`, '-pubout', '-out', other])

  const { exitCode, stdout } = await run('evidence', 'verify', bundle, '--key', other)

  expect(stdout).toContain('SHA256SUMS was not signed by this key')
  expect(exitCode).toBe(EXIT.evidenceDiffers)
})

it('never calls a tar file intact of which a byte was changed that tar would give out', async () => {
  const original = readFileSync(bundle)
  const contents = (path: string) =>
    execFileSync('tar', ['--extract', '--to-stdout', '--file', path])
  const whole = contents(bundle)
  const touched = join(folder, 'touched.tar')

  await fc.assert(
    fc.asyncProperty(
      fc.nat(original.length - 1),
      fc.integer({ min: 1, max: 255 }),
      async (place, mask) => {
        const bytes = Buffer.from(original)
        bytes[place] = (bytes[place] ?? 0) ^ mask
        writeFileSync(touched, bytes)

        const { isIntact } = await verifyEvidence(touched, undefined)

        if (isIntact) expect(contents(touched).equals(whole)).toBe(true)
      },
    ),
    { numRuns: propertyRuns(300) },
  )
})

it('finds a tar file that was cut anywhere, or goes on', async () => {
  const original = readFileSync(bundle)
  const cut = join(folder, 'cut.tar')
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: original.length - 1025 }), async (length) => {
      writeFileSync(cut, original.subarray(0, length))

      expect((await verifyEvidence(cut, undefined)).isIntact).toBe(false)
    }),
    { numRuns: propertyRuns(100) },
  )
  cpSync(bundle, cut)
  appendFileSync(cut, 'more')
  expect(await verifyEvidence(cut, undefined)).toMatchObject({
    faults: ['the tar file goes on after its end'],
  })
})

it('says of what is no bundle that it is none', async () => {
  const { exitCode, stderr } = await run('evidence', 'verify', folder)

  expect(exitCode).toBe(EXIT.error)
  expect(stderr).toContain('is no evidence bundle')
  expect((await run('evidence', 'verify', '/nowhere.tar')).stderr).toContain(
    'there is no such file',
  )
})

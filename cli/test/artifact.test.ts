import { spawn } from 'node:child_process'
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { connect, createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { givenDeviceKey } from '../../server/test/given-ddi.ts'
import { findProgram } from '../../server/test/programs.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, runPlimsoll, startService } from './service.ts'

const MEBIBYTE = 1024 * 1024

let service: Awaited<ReturnType<typeof startService>>
beforeAll(async () => {
  service = await startService({ withWorker: false })
})

interface Client {
  environment: Environment
  firmwareVersionId: string
  /** Another version of the same firmware. */
  baseVersionId: string
  call: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>
}

async function givenClient(): Promise<Client> {
  const workspace = await service.givenWorkspace()
  const call: Client['call'] = async (method, path, body) => {
    const response = await fetch(`${service.url}/workspaces/${workspace.workspaceId}${path}`, {
      method,
      headers: { authorization: `Bearer ${workspace.apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Record<string, unknown>
  }
  const firmware = await call('POST', '/firmwares', { slug: 'gateway' })
  const version = (name: string) =>
    call('POST', `/firmwares/${String(firmware['id'])}/versions`, { name })
  const [base, made] = [await version('1.0'), await version('2.0')]
  return {
    environment: service.environmentOf(workspace),
    firmwareVersionId: String(made['id']),
    baseVersionId: String(base['id']),
    call,
  }
}

function givenBinary(bytes: Uint8Array): { path: string; sha256: string } {
  const path = givenFile('gateway ü.swu', '')
  writeFileSync(path, bytes)
  return { path, sha256: createHash('sha256').update(bytes).digest('hex') }
}

const upload = (client: Client, ...args: string[]) =>
  runPlimsoll(client.environment, ['artifact', 'upload', ...args])

/** Each has its own place, and is uploaded in the same way. */
const FILES = [
  { name: 'the image', options: [], place: () => 'artifact/upload' },
  { name: 'a part', options: ['--role', 'rootfs'], place: () => 'artifacts/rootfs/upload' },
  {
    name: 'a delta',
    options: ['--role', 'delta', '--base', 'gateway@1.0'],
    place: ({ baseVersionId }: Client) => `artifacts/delta/upload?baseVersionId=${baseVersionId}`,
  },
]

describe('plimsoll artifact upload', () => {
  it('sends the binary, and nothing when it is there already', async () => {
    const client = await givenClient()
    const { path, sha256 } = givenBinary(randomBytes(50_000))

    const first = await upload(client, 'gateway@2.0', path)
    const again = await upload(client, client.firmwareVersionId, path, '--json')

    expect(first).toMatchObject({ exitCode: EXIT.ok, stderr: 'Uploading 50 kB\n' })
    expect(first.stdout).toBe(`gateway ü.swu: 50000 bytes, SHA-256 ${sha256}\n`)
    expect(again).toMatchObject({ exitCode: EXIT.ok, stderr: '' })
    expect(JSON.parse(again.stdout)).toMatchObject({ fileName: 'gateway ü.swu', sha256 })
  })

  it('sends large ones in parts, under another name if asked to', async () => {
    const client = await givenClient()
    const { path, sha256 } = givenBinary(randomBytes(3 * MEBIBYTE + 1))

    const options = ['--part-size', '1', '--file-name', 'update.swu', '--json']
    const { exitCode, stdout } = await upload(client, 'gateway@2.0', path, ...options)

    expect(exitCode).toBe(EXIT.ok)
    expect(JSON.parse(stdout)).toMatchObject({ fileName: 'update.swu', sha256 })
  })

  it.each(FILES)(
    'goes on with $name where a killed one was cut off',
    async ({ options, place }) => {
      const client = await givenClient()
      const { path, sha256 } = givenBinary(randomBytes(60 * MEBIBYTE))
      const main = await findProgram('client')
      const args = ['artifact', 'upload', 'gateway@2.0', path, '--part-size', '1', ...options]
      const env = { PATH: process.env['PATH'] ?? '', ...client.environment }
      const killed = spawn(process.execPath, [main, ...args], { env, stdio: 'ignore' })
      const placeOfUpload = `/firmware-versions/${client.firmwareVersionId}/${place(client)}`
      const received = async () =>
        Number((await client.call('GET', placeOfUpload))['receivedBytes'] ?? 0)
      await expect.poll(received).toBeGreaterThan(0)
      killed.kill('SIGKILL')
      await once(killed, 'exit')
      const before = await client.call('GET', placeOfUpload)

      const { exitCode, stdout } = await upload(client, ...args.slice(2), '--json')

      expect(before['uploadId']).toBeDefined()
      expect(exitCode).toBe(EXIT.ok)
      expect(JSON.parse(stdout)).toMatchObject({ sha256, sizeBytes: 60 * MEBIBYTE })
      const { rows } = await service.ctx.pool.query<{ action: string }>(
        `select action from audit_log where action = 'firmware-artifact.upload' and resource_id = $1`,
        [client.firmwareVersionId],
      )
      expect(rows).toHaveLength(1)
    },
  )

  it.each(FILES)(
    'goes on with $name over a connection that breaks again and again',
    async ({ options }) => {
      const client = await givenClient()
      const { path, sha256 } = givenBinary(randomBytes(3 * MEBIBYTE))
      const breaking = await givenBreakingProxy(MEBIBYTE)
      const environment = { ...client.environment, PLIMSOLL_URL: breaking.url }
      const args = ['gateway@2.0', path, '--part-size', '2', '--json', ...options]

      const { exitCode, stdout } = await upload({ ...client, environment }, ...args)
      breaking.close()

      expect(exitCode).toBe(EXIT.ok)
      expect(JSON.parse(stdout)).toMatchObject({ sha256, sizeBytes: 3 * MEBIBYTE })
      expect(breaking.broken()).toBeGreaterThanOrEqual(2)
    },
  )

  it('replaces what another began of other bytes', async () => {
    const client = await givenClient()
    const { path, sha256 } = givenBinary(randomBytes(30_000))
    const url = `${service.url}/workspaces/${await workspaceOf(client)}/firmware-versions/${client.firmwareVersionId}/artifact`
    const opened = await fetch(url, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${client.environment['PLIMSOLL_API_KEY'] ?? ''}`,
        'content-type': 'application/octet-stream',
        'content-range': 'bytes 0-9999/30000',
      },
      body: randomBytes(10_000),
    })

    const parts = ['--part-size', '0.01', '--json']
    const { exitCode, stdout } = await upload(client, 'gateway@2.0', path, ...parts)

    expect(opened.status).toBe(202)
    expect(exitCode).toBe(EXIT.ok)
    expect(JSON.parse(stdout)).toMatchObject({ sha256 })
  })

  it('says what is wrong', async () => {
    const client = await givenClient()
    const { path } = givenBinary(randomBytes(10))

    const [nothing, missing, unknown] = await Promise.all([
      upload(client, 'gateway@2.0', givenFile('empty.bin', '')),
      upload(client, 'gateway@2.0', '/nowhere/x.bin'),
      upload(client, 'gateway@3.0', path),
    ])

    expect([nothing.exitCode, missing.exitCode, unknown.exitCode]).toEqual([1, 1, 1])
    expect(nothing.stderr).toContain('is empty')
    expect(missing.stderr).toContain('there is no such file')
    expect(unknown.stderr).toContain('has no version named "3.0"')
  })
})

/** Passes on so many bytes of each connection and breaks it. */
async function givenBreakingProxy(mostBytes: number) {
  let broken = 0
  const target = Number(new URL(service.url).port)
  const server = createServer((socket) => {
    const onward = connect(target, '127.0.0.1')
    let passed = 0
    socket.on('data', (chunk: Buffer) => {
      passed += chunk.length
      onward.write(chunk)
      if (passed < mostBytes) return
      broken += 1
      socket.destroy()
      onward.end()
    })
    onward.on('data', (chunk: Buffer) => socket.write(chunk))
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.end())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port')
  const close = () => void server.close()
  return { url: `http://127.0.0.1:${address.port}`, broken: () => broken, close }
}

async function workspaceOf({ environment }: Client): Promise<string> {
  const response = await fetch(`${service.url}/whoami`, {
    headers: { authorization: `Bearer ${environment['PLIMSOLL_API_KEY'] ?? ''}` },
  })
  return ((await response.json()) as { workspaceId: string }).workspaceId
}

describe('deltas and parts', () => {
  it('are uploaded by role and listed behind the image', async () => {
    const client = await givenClient()
    const image = givenBinary(randomBytes(5_000))
    const { path, sha256 } = givenBinary(randomBytes(1_000))
    await upload(client, 'gateway@2.0', image.path)

    const options = ['--role', 'delta', '--base', 'gateway@1.0', '--file-name', 'delta.swu']
    const delta = await upload(client, 'gateway@2.0', path, ...options)
    const again = await upload(client, 'gateway@2.0', path, ...options)
    const part = await upload(client, 'gateway@2.0', path, '--role', 'bootloader')
    const list = ['artifact', 'list', 'gateway@2.0']
    const listed = await runPlimsoll(client.environment, list)
    const { stdout } = await runPlimsoll(client.environment, [...list, '--json'])

    expect(delta).toMatchObject({ exitCode: EXIT.ok })
    expect(delta.stdout).toBe(`delta.swu: 1000 bytes, SHA-256 ${sha256}\n`)
    expect([again.exitCode, part.exitCode]).toEqual([EXIT.ok, EXIT.ok])
    const { artifacts } = JSON.parse(stdout) as {
      artifacts: { role: string; baseVersion: string | null }[]
    }
    expect(artifacts.map(({ role, baseVersion }) => [role, baseVersion])).toEqual([
      ['image', null],
      ['bootloader', null],
      ['delta', '1.0'],
    ])
    expect(listed.stdout).toContain('3 artifacts')
  })

  it('a delta is added to a deployed version after a question with a count', async () => {
    const client = await givenClient()
    const [image, delta] = [givenBinary(randomBytes(2_000)), givenBinary(randomBytes(1_000))]
    await upload(client, 'gateway@2.0', image.path)
    const { id } = await client.call('POST', '/deployment-cohorts', { name: 'Field' })
    const deployed = await client.call('POST', `/deployment-cohorts/${String(id)}/deployments`, {
      name: 'Two',
      artifacts: [{ firmwareVersionId: client.firmwareVersionId }],
    })
    const options = ['--role', 'delta', '--base', 'gateway@1.0']

    const asked = await upload(client, 'gateway@2.0', delta.path, ...options)
    const added = await upload(client, 'gateway@2.0', delta.path, ...options, '--yes')
    const again = await upload(client, 'gateway@2.0', delta.path, ...options)
    const part = await upload(client, 'gateway@2.0', delta.path, '--role', 'bootloader')

    expect(deployed).toMatchObject({ isActive: true })
    expect(asked.exitCode).toBe(EXIT.error)
    expect(asked.stderr).toContain(
      'The version was deployed already. Its deployments go on without the delta; those that are made from now on offer it to devices that run exactly 1.0: 0 devices report it now. Add the delta?',
    )
    expect([added.exitCode, again.exitCode]).toEqual([EXIT.ok, EXIT.ok])
    expect(part.stderr).toContain('Only deltas can still be added.')
  })

  it.each([
    [['--role', 'delta'], 'needs --base'],
    [['--base', 'gateway@2.0'], '--base belongs to --role delta'],
  ])('are refused with %s, saying why', async (options, why) => {
    const client = await givenClient()
    const { path } = givenBinary(randomBytes(10))

    const refused = await upload(client, 'gateway@2.0', path, ...options)

    expect(refused.exitCode).toBe(EXIT.error)
    expect(refused.stderr).toContain(why)
  })
})

describe('plimsoll artifact delete, and device offer', () => {
  const run = (client: Client, ...args: string[]) => runPlimsoll(client.environment, args)
  const DELTA = ['--role', 'delta', '--base', 'gateway@1.0']

  it('says what a device would be offered and why, and deletes a file after it told whom that concerns', async () => {
    const client = await givenClient()
    const { path } = givenBinary(randomBytes(2_000))
    const smaller = givenBinary(randomBytes(1_000))
    await upload(client, 'gateway@2.0', path)
    await upload(client, 'gateway@2.0', smaller.path, ...DELTA, '--file-name', 'from-1.swu')
    await client.call('POST', '/devices', { id: 'gw-1' })
    const workspaceId = await workspaceOf(client)
    const deviceKey = await givenDeviceKey(service, workspaceId)
    const said = await fetch(`${service.url}/device/v1/${workspaceId}/gw-1/sync`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${deviceKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        session: { runId: 'a', firmware: [{ slug: 'gateway', version: '1.0' }] },
      }),
    })

    const now = await run(client, 'device', 'offer', 'gw-1')
    const supposed = await run(client, 'device', 'offer', 'gw-1', '--if', 'gateway@2.0')
    const asked = await run(client, 'artifact', 'delete', 'gateway@2.0', ...DELTA)
    const deleted = await run(client, 'artifact', 'delete', 'gateway@2.0', ...DELTA, '--yes')
    const again = await run(client, 'artifact', 'delete', 'gateway@2.0', ...DELTA, '--yes')
    const full = await run(client, 'device', 'offer', 'gw-1', '--if', 'gateway@2.0', '--json')

    expect(said.status).toBe(200)
    expect(now).toMatchObject({ exitCode: EXIT.ok, stdout: 'No files.\n' })
    expect(supposed.stdout).toMatch(/delta from 1\.0 +from-1\.swu/)
    expect(asked.exitCode).toBe(EXIT.error)
    expect(asked.stderr).toContain(
      'Delete delta from 1.0 (from-1.swu)? 0 devices are offered it now. 1 device reports 1.0.',
    )
    expect(deleted).toMatchObject({
      exitCode: EXIT.ok,
      stdout: 'delta from 1.0 (from-1.swu): deleted\n',
    })
    expect([again.exitCode, again.stderr]).toEqual([
      EXIT.error,
      expect.stringContaining('no such artifact'),
    ])
    expect(JSON.parse(full.stdout)).toMatchObject({
      artifacts: [{ role: 'image', reason: 'NoDelta', runs: { version: '1.0' } }],
    })
  })
})

describe('plimsoll artifact address', () => {
  interface Address {
    id: string
    url: string
    role: string
    uses: number
  }
  const address = (client: Client, ...args: string[]) =>
    runPlimsoll(client.environment, ['artifact', 'address', ...args])
  const listed = async (client: Client) => {
    const { stdout } = await address(client, 'list', 'gateway@2.0', '--json')
    return (JSON.parse(stdout) as { addresses: Address[] }).addresses
  }

  it('makes one that gives the file until it is revoked', async () => {
    const client = await givenClient()
    const bytes = randomBytes(1_000)
    const { path } = givenBinary(bytes)

    const made = await address(client, 'create', 'gateway@2.0', '--role', 'chunks', '--days', '30')
    const [url = '', end = ''] = made.stdout.split('\n')
    const place = url.replace(/^https?:\/\/[^/]+/, service.url)
    const early = await fetch(place)
    await upload(client, 'gateway@2.0', path, '--role', 'chunks')
    const got = await fetch(place)
    const shown = await address(client, 'list', 'gateway@2.0')
    const [one] = await listed(client)
    const id = one?.id ?? ''
    const revoked = await address(client, 'delete', 'gateway@2.0', id, '--yes')
    const after = await fetch(place)
    const none = await address(client, 'list', 'gateway@2.0')

    expect(made.exitCode).toBe(EXIT.ok)
    expect(end).toMatch(/^It ends at \d{4}-\d\d-\d\d/)
    expect([early.status, got.status, after.status]).toEqual([404, 200, 404])
    expect(Buffer.from(await got.arrayBuffer()).equals(bytes)).toBe(true)
    expect(one).toMatchObject({ role: 'chunks', url })
    expect(shown.stdout).toContain('chunks')
    expect(shown.stdout).toContain(id)
    expect(shown.stdout).toContain('1 standing address')
    expect(revoked).toMatchObject({ exitCode: EXIT.ok, stdout: 'The address is revoked\n' })
    expect(none.stdout).toBe('No standing addresses.\n')
  })

  it('answers as JSON, of the image and of a delta', async () => {
    const client = await givenClient()
    const create = ['create', 'gateway@2.0', '--days', '7', '--json']
    const delta = ['--role', 'delta', '--base', 'gateway@1.0']

    const image = JSON.parse((await address(client, ...create)).stdout) as Address
    const ofDelta = JSON.parse((await address(client, ...create, ...delta)).stdout) as Address
    const list = await listed(client)
    const remove = ['delete', 'gateway@2.0', image.id, '--yes', '--json']
    const removed = await address(client, ...remove)

    expect(image).toMatchObject({ role: 'image', baseVersionId: null, uses: 0 })
    expect(ofDelta).toMatchObject({ role: 'delta', baseVersionId: client.baseVersionId })
    expect(list.map(({ id }) => id)).toEqual([ofDelta.id, image.id])
    expect(JSON.parse(removed.stdout)).toEqual({ id: image.id })
  })

  it.each([
    [['create', 'gateway@2.0'], '--days'],
    [['create', 'gateway@2.0', '--days', '0'], '--days'],
    [['create', 'gateway@2.0', '--days', '4000'], '/days'],
    [['create', 'gateway@2.0', '--days', '1', '--role', 'delta'], 'needs --base'],
    [['create', 'gateway@2.0', '--days', '1', '--base', 'gateway@1.0'], '--base belongs to'],
    [['create', 'gateway@3.0', '--days', '1'], 'has no version named "3.0"'],
    [['delete', 'gateway@2.0', 'nothing', '--yes'], 'standing address'],
    [['delete', 'gateway@2.0', 'nothing'], '--yes'],
  ])('%s is refused, as it says', async (args, why) => {
    const client = await givenClient()

    const { exitCode, stdout, stderr } = await address(client, ...args)

    expect(exitCode).not.toBe(EXIT.ok)
    expect(stdout).toBe('')
    expect(stderr).toContain(why)
  })
})

interface Vector {
  made: string
  image: string
  publicKey: string
  testKey: string | null
}

const vectors = JSON.parse(
  readFileSync(
    resolve(import.meta.dirname, '../../server/src/formats/images/fixtures/imgtool-2.5.0.json'),
    'utf8',
  ),
) as Vector[]

/** In a folder of its own. */
function givenAlone(name: string, content: string | Buffer): string {
  const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-check-')), name)
  writeFileSync(path, content)
  return path
}

/** An image that imgtool made, and the key that signed it. */
function givenImage(isWanted: (vector: Vector) => boolean): { path: string; key: string } {
  const vector = vectors.find(isWanted)
  return {
    path: givenAlone('gateway.bin', Buffer.from(vector?.image ?? '', 'base64')),
    key: givenAlone('release.pem', vector?.publicKey ?? ''),
  }
}

describe('plimsoll artifact check', () => {
  const OFFLINE = { PLIMSOLL_URL: 'http://127.0.0.1:9', PLIMSOLL_API_KEY: '' }
  const check = (path: string, ...options: string[]) =>
    runPlimsoll(OFFLINE, ['artifact', 'check', path, ...options])
  const image = givenImage(({ made }) => made.startsWith('--security-counter 5'))
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

  it('says without a service who signed a file, what it states, and whether that is what was asked', async () => {
    const asked = ['--name', '1.2.3+4', '--security-counter', '5']
    const right = await check(image.path, '--keys', image.key, ...asked)
    const told = await check(image.path, '--keys', dirname(image.key), ...asked, '--json')
    const wrong = ['--name', '2.0', '--security-counter', '6']
    const other = await check(image.path, '--keys', image.key, ...wrong)

    expect(right).toMatchObject({ exitCode: EXIT.ok, stderr: '' })
    expect(right.stdout).toContain(
      `gateway.bin: Verified. Signed with the trusted key ${image.key}.\n`,
    )
    expect(right.stdout).toContain('security counter 5')
    expect(told.exitCode).toBe(EXIT.ok)
    const bytes = readFileSync(image.path)
    expect(JSON.parse(told.stdout)).toMatchObject({
      fileName: 'gateway.bin',
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      state: 'Verified',
      format: 'MCUboot',
      isNamedVersion: true,
      statement: { securityCounter: 5 },
      unmet: [],
    })
    expect(other.exitCode).toBe(EXIT.imageNotVerified)
    expect(other.stdout).toContain('and is called 2.0.')
    expect(other.stdout).toContain('Build it with 6 or more, as --security-counter asks.')
  })

  it.each([
    ['other keys', 'Untrusted', (path: string) => [path, '--keys', givenAlone('other.pem', pem)]],
    ['no key', 'Untrusted', (path: string) => [path]],
    [
      'a changed byte',
      'Broken',
      (path: string) => {
        const bytes = readFileSync(path)
        bytes.writeUInt8(bytes.readUInt8(300) ^ 1, 300)
        return [givenAlone('changed.bin', bytes), '--keys', image.key]
      },
    ],
    [
      'a format that is not known',
      'FormatNotKnown',
      () => [givenAlone('any.bin', 'hello '.repeat(1_000)), '--keys', image.key],
    ],
    [
      'a format that is not checked',
      'NotChecked',
      () => [givenAlone('any.elf', '\u007fELF'.repeat(1_000)), '--keys', image.key],
    ],
  ])('with %s is %s and fails', async (_what, state, given) => {
    const { exitCode, stdout } = await check(...(given(image.path) as [string, ...string[]]))

    expect(stdout).toContain(`: ${state}. `)
    expect(exitCode).toBe(EXIT.imageNotVerified)
  })

  it('fails where a published test key signed it, unless that is allowed', async () => {
    const { path, key } = givenImage(({ testKey }) => testKey !== null)

    const refused = await check(path, '--keys', key)
    const allowed = await check(path, '--keys', key, '--allow-test-key')

    expect([refused.exitCode, allowed.exitCode]).toEqual([EXIT.imageNotVerified, EXIT.ok])
    expect(refused.stdout).toContain('which everybody has. Sign it with a key of your own.')
    expect(allowed.stdout).toContain('Everybody can sign like this: MCUboot’s published')
  })

  it('verifies by a signature beside the file, and by a folder of keys, whose other files it names', async () => {
    const path = givenAlone('any.bin', 'hello '.repeat(1_000))
    const signature = givenAlone('any.bin.sig', sign('sha256', readFileSync(path), privateKey))
    const folder = dirname(givenAlone('release.pem', pem))
    writeFileSync(join(folder, 'README'), 'the key of the builds')

    const found = await check(path, '--keys', folder, '--signature', signature)

    expect(found.exitCode).toBe(EXIT.ok)
    expect(found.stdout).toContain('any.bin: Verified. Signed beside the file with the trusted key')
    expect(found.stderr).toContain('Not used: ')
    expect(found.stderr).toContain('README: This is no key that is known here.')
  })

  it('trusts the keys of the workspace where it is told to, and fails where they cannot be read', async () => {
    const client = await givenClient()
    const key = readFileSync(image.key, 'utf8')
    await client.call('POST', '/trusted-keys', { name: 'Release key 2026', key })
    const words = ['artifact', 'check', image.path, '--workspace-keys']

    const found = await runPlimsoll(client.environment, words)
    const named = await runPlimsoll(client.environment, [
      ...words.slice(0, 3),
      '--workspace',
      await workspaceOf(client),
    ])
    const without = await check(image.path, '--workspace-keys')

    expect(found).toMatchObject({ exitCode: EXIT.ok })
    expect(found.stdout).toContain('Verified. Signed with the trusted key Release key 2026.')
    expect(named.exitCode).toBe(EXIT.ok)
    expect([without.exitCode, without.stdout]).toEqual([EXIT.unauthorised, ''])
  })

  it.each([
    ['a file that is not there', ['/nowhere/x.bin'], 'there is no such file'],
    ['an empty file', [givenAlone('empty.bin', '')], 'is empty'],
    ['a folder', [dirname(image.path)], 'it is not a file'],
    ['keys that are not there', [image.path, '--keys', '/nowhere'], 'there is no such file'],
    ['an image as a key', [image.path, '--keys', image.path], 'no key that is known here'],
    [
      'a counter that is none',
      [image.path, '--security-counter', '4294967296'],
      'from 0 to 4294967295',
    ],
    [
      'a signature that is none',
      [image.path, '--signature', givenAlone('a.sig', 'hello')],
      'This is no signature that is known here.',
    ],
  ])('refuses %s in words', async (_what, [path = '', ...options], words) => {
    const { exitCode, stderr } = await check(path, ...options)

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toContain(words)
  })
})

describe('plimsoll trusted-key delete', () => {
  it('counts before it asks what is no longer verified, and what the gate demands', async () => {
    const client = await givenClient()
    const run = (...words: string[]) => runPlimsoll(client.environment, words)
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    await client.call('POST', '/trusted-keys', { name: 'Release key', key })
    const { path } = givenBinary(Buffer.from('firmware'))
    await upload(client, 'gateway@2.0', path)
    const signature = sign('sha256', Buffer.from('firmware'), privateKey).toString('base64')
    const beside = `/firmware-versions/${client.firmwareVersionId}/artifact/signatures`
    await client.call('POST', beside, { fileName: 'a.sig', signature })
    const remove = () => run('trusted-key', 'delete', 'Release key')
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const { path: secretPath } = givenBinary(Buffer.from(secret))

    const notSent = await run('trusted-key', 'add', secretPath, '--name', 'Secret')
    expect(notSent.stderr).toContain('holds a private key, so it was not sent')

    const early = await remove()
    await service.startWorker()
    await expect.poll(async () => (await remove()).stderr).toContain('1 version loses its proof')
    await run('settings', 'update', '--gate-images', 'Signed')
    const asked = await remove()
    const deleted = await run('trusted-key', 'delete', 'Release key', '--yes')

    expect(early.stderr).toContain('1 file is still being checked')
    expect(asked.exitCode).toBe(EXIT.error)
    expect(asked.stderr).toContain('as this key alone verifies 1 update file:\n  gateway 2.0\n')
    expect(asked.stderr).toContain(
      'The release gate demands signatures: 1 version does not meet it then.',
    )
    expect(deleted).toMatchObject({
      exitCode: EXIT.ok,
      stdout: 'Release key: no longer trusted\n',
    })
  })
})

/** Secrets in the database under the operator's key: at start, while keys change, and after a kill, by the real programs. */
import { spawn } from 'node:child_process'
import { createPublicKey, verify } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { deliverWebhook } from '../src/features/notification-delivery/webhooks/service.ts'
import { findEnabledWebhook } from '../src/features/notification-targets/index.ts'
import { computeCode, stepAt } from '../src/features/people/factors/totp.ts'
import { padToBlock, readTarHeader, TAR_BLOCK } from '../src/formats/tar.ts'
import { newId } from '../src/platform/ids.ts'
import { encryptAgain } from '../src/stored-secrets.ts'
import { createEncryptionKey, parseEncryptionKey } from '../src/platform/secret-encryption.ts'
import { startTestApp, type TestApp } from './app.ts'
import { createEmptyDatabase } from './database.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { givenMember, openBrowser, PASSWORD } from './given-people.ts'
import { givenWebhook, isSignedWith } from './given-webhooks.ts'
import { type Client, givenClient } from './given.ts'
import { findProgram } from './programs.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  serviceEnvironment,
  startServiceProcess,
} from './service-process.ts'
import { startWebhookServer, type WebhookServer } from './webhook-server.ts'

const [A, B] = [createEncryptionKey(), createEncryptionKey()]
const readId = (key: string) => parseEncryptionKey(key)?.id ?? ''
const FEW = 5

let plain: TestApp
let client: Client
let server: WebhookServer
let person: Awaited<ReturnType<typeof givenMember>>
let webhook: Awaited<ReturnType<typeof givenWebhook>>
let totp: Buffer
let lineId: string
let now = Date.now()

const webhooks = {
  allowedHosts: [{ net: '127.0.0.1', prefix: 32 }],
  connectMs: 5_000,
  totalMs: 20_000,
}

const readKeys = (keys: readonly string[]) =>
  readConfig({ PLIMSOLL_ENCRYPTION_KEY: keys.join(',') }).encryptionKeys

/** Another node of the same installation, with these keys. It goes on while secrets are encrypted anew, as real ones do. */
async function startNode(...keys: string[]): Promise<TestApp> {
  const name = keys.join(',')
  const known = nodes.get(name)
  if (known) return known
  const { blobs } = plain.ctx.config
  const started = { encryptionKeys: readKeys(keys), blobs, webhooks }
  const node = await startTestApp(started, plain.connectionString)
  node.ctx.now = () => new Date(now)
  nodes.set(name, node)
  return node
}

const nodes = new Map<string, TestApp>()

/** What `rotate` does, without a program of its own: how a test begins, and what it leaves. */
async function settle(...keys: string[]): Promise<void> {
  const { db, config } = plain.ctx
  const settled = await encryptAgain({ db, config: { ...config, encryptionKeys: readKeys(keys) } })
  expect(settled.unreadable).toBe(0)
}

function settingsWith(...keys: string[]) {
  const env = {
    DATABASE_URL: plain.connectionString,
    ...(keys.length > 0 && { PLIMSOLL_ENCRYPTION_KEY: keys.join('\n') }),
  }
  return { dataDir: plain.ctx.config.dataDir, port: 0, managementPort: 0, env }
}

async function admin(keys: readonly string[], ...args: string[]) {
  const { code, stdout, stderr } = await runAdmin(settingsWith(...keys), ...args, '--json')
  return { code, stderr, answer: stdout === '' ? undefined : (JSON.parse(stdout) as unknown) }
}

const readStatus = (...keys: string[]) => admin(keys, 'key-encryption', 'status')
const rotate = (...keys: string[]) => admin(keys, 'key-encryption', 'rotate')

/** Signs in with a code of the app. */
async function signIn(node: TestApp): Promise<unknown> {
  const browser = openBrowser(node)
  await browser.post('/auth/sign-in', { email: person.email, password: PASSWORD })
  now += 30_000
  const code = computeCode(totp, stepAt(new Date(now)))
  return (await browser.post('/auth/second-factor', { code })).json()
}

/** The secrets, as the receiver knows them, with which a message is signed. */
async function deliver({ ctx }: TestApp, secrets: readonly string[]) {
  const { workspaceId } = client
  const found = await findEnabledWebhook(ctx.db, workspaceId, webhook.id)
  if (!found) throw new Error('no webhook')
  server.requests.length = 0
  const facts = {
    workspaceName: 'Acme',
    title: 'Hot',
    text: '',
    facts: [],
    items: [],
    moreItems: 0,
  }
  const notice = { event: 'Fired', ...facts, path: '/', at: '2026-08-22T10:00:00.000Z', data: {} }
  const notification = { id: newId(), notice } as Parameters<
    typeof deliverWebhook
  >[1]['notification']
  const { signal } = new AbortController()
  const { outcome, answer } = await deliverWebhook(
    ctx,
    { workspaceId, webhook: found, notification },
    signal,
  )
  const [request] = server.requests
  const signed: boolean[] = []
  if (request) for (const one of secrets) signed.push(await isSignedWith(request, one))
  return { outcome, answer, signed }
}

/** Whether the node signs a bundle with the key that the workspace had from the beginning. */
async function signEvidence({ app }: TestApp): Promise<boolean> {
  const { workspaceId, apiKey } = client
  const headers = { authorization: `Bearer ${apiKey}` }
  const url = `/workspaces/${workspaceId}/product-lines/${lineId}/evidence`
  const bundle = await app.inject({ url, headers })
  const { keys } = (await client.get('/evidence-keys')).json<{ keys: { publicKey: string }[] }>()
  const read = (name: string) => readTarFile(bundle.rawPayload, name)
  const key = createPublicKey(keys[0]?.publicKey ?? '')
  return (
    bundle.statusCode === 200 &&
    keys.length === 1 &&
    verify(null, read('SHA256SUMS'), key, read('SHA256SUMS.sig'))
  )
}

function readTarFile(tar: Buffer, name: string): Buffer {
  for (let at = 0; at < tar.length;) {
    const header = readTarHeader(tar.subarray(at, at + TAR_BLOCK), 0)
    if (!header) break
    const begin = at + TAR_BLOCK
    if (header.name === name) return tar.subarray(begin, begin + header.size)
    at = padToBlock(begin + header.size)
  }
  throw new Error(`no ${name}`)
}

beforeAll(async () => {
  server = await startWebhookServer()
  closeAtEndOfFile(server.close)
  plain = await startTestApp({ webhooks })
  plain.ctx.now = () => new Date(now)
  client = await givenClient(plain)
  person = await givenMember(plain, client.workspaceId)
  const begun = (await person.browser.post('/me/totp')).json<{ secret: string }>()
  const bits = Array.from(begun.secret, (one) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(one))
    .map((value) => value.toString(2).padStart(5, '0'))
    .join('')
  totp = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
  const code = computeCode(totp, stepAt(new Date(now)))
  await person.browser.post('/me/totp/confirm', { code })
  webhook = await givenWebhook(client, server.url)
  await client.post(`/webhooks/${webhook.id}/rotate-secret`)
  const line = { name: 'Gateway', manufacturer: 'Acme' }
  lineId = (await client.post('/product-lines', line)).json<{ id: string }>().id
  expect(await signEvidence(plain)).toBe(true)
})

describe('a key', () => {
  it('is printed, and is nowhere else', async () => {
    const { stdout, code } = await runAdmin(settingsWith(), 'key-encryption', 'create')

    const [, key = '', id] = /^key: (\S+)\nid: (\S+)\n$/.exec(stdout) ?? []
    expect(code).toBe(0)
    expect(readId(key)).toBe(id)
  })

  it('encrypts what is there, and all goes on as before', async () => {
    const first = await readStatus(A)
    const rotated = await rotate(A)
    const second = await readStatus(A)
    const doctor = await admin([A], 'doctor', '--check', 'secrets')
    const node = await startNode(A)

    const key = readId(A)
    expect(first).toMatchObject({
      code: 1,
      answer: { currentKey: key, secrets: [{ key: null, count: FEW }], otherNodes: [] },
    })
    expect(rotated.answer).toEqual({ encrypted: FEW, unreadable: 0 })
    expect(second).toMatchObject({ code: 0, answer: { secrets: [{ key, count: FEW }] } })
    expect(doctor.code).toBe(0)
    expect(await signIn(node)).toMatchObject({ state: 'SignedIn' })
    expect(await deliver(node, [webhook.secret])).toMatchObject({ signed: [true] })
    expect(await signEvidence(node)).toBe(true)
    expect(node.ctx.signingKey.sign('a')).toEqual(plain.ctx.signingKey.sign('a'))
  })

  it('encrypts what is new: a webhook, its next secret, an app, a signing key', async () => {
    const node = await startNode(A)
    const there = { ...client, ...(await givenClient(node)) }
    const other = await givenWebhook(there, `${server.url}/other`)
    await there.post(`/webhooks/${other.id}/rotate-secret`)
    const { browser } = await givenMember(node, there.workspaceId)
    await browser.post('/me/totp')
    await admin([A], 'signing-key', 'rotate')

    const { code, answer } = await readStatus(A)

    expect(code).toBe(0)
    expect(answer).toMatchObject({ secrets: [{ key: readId(A), count: FEW + 4 }] })
    const { rows } = await sql<{ text: string }>`
      select row_to_json(webhooks)::text as text from webhooks`.execute(node.ctx.db)
    const hex = Buffer.from(other.secret.slice('whsec_'.length), 'base64').toString('hex')
    expect(rows.filter(({ text }) => text.includes(hex))).toEqual([])
  })

  it('is changed for another one node by node', async () => {
    await settle(A)
    const [old, next] = [await startNode(A, B), await startNode(B, A)]
    const before = [await signIn(old), await signIn(next)]

    const rotated = await rotate(B, A)
    const after = [await signIn(old), await signIn(next), await signIn(await startNode(B))]

    expect(rotated).toMatchObject({ code: 0, answer: { unreadable: 0 } })
    for (const one of [...before, ...after]) expect(one).toMatchObject({ state: 'SignedIn' })
    expect(await signEvidence(await startNode(B))).toBe(true)
    expect(await readStatus(B)).toMatchObject({ code: 0 })
    await settle(A, B)
  })

  it('is not taken while a node would go on with another', async () => {
    const [port, managementPort] = [await freePort(), await freePort()]
    const service = await startServiceProcess({ ...settingsWith(A, B), port, managementPort })

    const refused = await rotate(B, A)
    const status = await readStatus(B, A)
    await endProcess(service.child, 'SIGTERM')
    const taken = await rotate(B, A)

    expect(refused).toMatchObject({ code: 1, answer: undefined })
    expect(refused.stderr).toContain('These nodes do not encrypt with the first key')
    expect(status.answer).toMatchObject({ otherNodes: [expect.any(String)] })
    expect(taken.code).toBe(0)
    await settle(A, B)
  })

  it('is given up: none stands before it', async () => {
    const rotated = await rotate('none', A)

    expect(rotated.code).toBe(0)
    expect(await readStatus()).toMatchObject({ code: 0, answer: { currentKey: null } })
    expect(await signIn(plain)).toMatchObject({ state: 'SignedIn' })
    await settle(A)
  })
})

describe('without its key', () => {
  it.each([
    ['no key', []],
    ['another key', [B]],
    ['none', ['none']],
  ])('nothing starts: %s', async (_name, keys) => {
    await settle(A)
    const ports = { port: await freePort(), managementPort: await freePort() }
    const starting = startServiceProcess({ ...settingsWith(...keys), ...ports })

    const [doctor, status, started] = await Promise.all([
      admin(keys, 'doctor', '--check', 'secrets'),
      readStatus(...keys),
      starting.then(
        () => 'it started',
        (error: unknown) => String(error),
      ),
    ])

    const sentence = `PLIMSOLL_ENCRYPTION_KEY lacks a key with which secrets of this database are encrypted: ${readId(A)} (`
    expect(started).toContain(sentence)
    expect([doctor.code, status.code]).toEqual([3, 1])
    for (const { stderr } of [doctor, status]) {
      expect(stderr).toContain(sentence)
      expect(stderr).not.toMatch(/^\s+at /m)
    }
  })
})

it('stays out of backups, and opens what was restored', async () => {
  await settle(A)
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-encrypted-'))
  closeAtEndOfFile(() => rmSync(folder, { recursive: true, force: true }))
  const { connectionString } = await createEmptyDatabase()
  const env = { DATABASE_URL: connectionString }
  const fresh = { ...settingsWith(), dataDir: join(folder, 'data'), env }

  const taken = await admin([A], 'backup', join(folder, 'backup'))
  const restored = await runAdmin(fresh, 'restore', join(folder, 'backup'))
  const opened = { ...fresh, env: { ...env, PLIMSOLL_ENCRYPTION_KEY: A } }
  const [without, doctor] = await Promise.all([
    runAdmin(fresh, 'key-encryption', 'status'),
    runAdmin(opened, 'doctor', '--check', 'secrets'),
  ])

  expect([taken.code, restored.code, without.code, doctor.code]).toEqual([0, 0, 1, 0])
  expect(without.stderr).toContain(`lacks a key`)
})

it.each([
  ['no key', [], [], true],
  ['a key', [A], [], false],
  ['an encrypted backup', [], ['--encrypt-to', 'age1x'], false],
])('is missed in a backup to a bucket: %s', async (_name, keys, options, isWarned) => {
  await settle(keys.length > 0 ? A : 'none', A)

  const { stderr } = await admin(keys, 'backup', 's3://bucket/x', ...options)

  expect(/Warning: .*backups go unencrypted to a bucket/.test(stderr)).toBe(isWarned)
})

describe('a secret in the place of another', () => {
  it('is refused, and the doctor names both', async () => {
    await settle(A)
    const node = await startNode(A)
    const other = await givenMember(node, client.workspaceId)
    await other.browser.post('/me/totp')
    const swap = () =>
      sql`
        update totp_secrets as one set secret = other.secret from totp_secrets as other
        where one.person_id in (${person.id}, ${other.id})
          and other.person_id in (${person.id}, ${other.id}) and one.person_id <> other.person_id`.execute(
        node.ctx.db,
      )
    const swapColumns = () =>
      sql`update webhooks set secret = former_secret, former_secret = secret where id = ${webhook.id}`.execute(
        node.ctx.db,
      )

    await Promise.all([swap(), swapColumns()])
    const signedIn = await signIn(node)
    const delivered = await deliver(node, [webhook.secret])
    const doctor = await admin([A], 'doctor', '--check', 'secrets')
    const rotated = await rotate(B, A)
    await Promise.all([swap(), swapColumns()])

    expect(signedIn).toMatchObject({ status: 500 })
    expect(delivered).toMatchObject({ outcome: 'Deferred', signed: [] })
    expect(delivered.answer).toContain('belongs to another row')
    expect(doctor).toMatchObject({ code: 1, answer: { checks: [{ faultCount: 4 }] } })
    expect(rotated).toMatchObject({ code: 1, answer: { unreadable: 4 } })
    expect(await rotate(A, B)).toMatchObject({ code: 0, answer: { unreadable: 0 } })
    expect(await signIn(node)).toMatchObject({ state: 'SignedIn' })
  })
})

describe('a rotation that is killed', () => {
  it('leaves everything readable, and goes on when it is run again', async () => {
    await settle(A)
    const many = 3_000
    const { db } = plain.ctx
    await sql`
      insert into people (id, email, display_name, created_at)
      select gen_random_uuid(), 'many-' || number || '@example.com', 'x', now()
      from generate_series(1, ${many}) as number`.execute(db)
    await sql`
      insert into totp_secrets (person_id, secret, created_at)
      select id, substring(uuid_send(gen_random_uuid()) || uuid_send(id) for 20), now()
      from people where email like 'many-%'`.execute(db)
    const count = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int from totp_secrets where length(secret) > 20`.execute(db)
      return rows[0]?.count ?? 0
    }
    const before = await count()
    const child = spawn(
      process.execPath,
      [await findProgram('admin'), 'key-encryption', 'rotate'],
      {
        env: serviceEnvironment(settingsWith(A)),
        stdio: 'ignore',
      },
    )
    while ((await count()) < before + 100 && child.exitCode === null) await delay(5)
    await endProcess(child, 'SIGKILL')

    const left = before + many - (await count())
    const [node, status] = [await startNode(A), await readStatus(A)]
    const rotated = await rotate(A)

    expect(child.signalCode).toBe('SIGKILL')
    expect(left).toBeGreaterThan(0)
    expect(status.code).toBe(1)
    expect(await signIn(node)).toMatchObject({ state: 'SignedIn' })
    expect(rotated).toMatchObject({ code: 0, answer: { encrypted: left, unreadable: 0 } })
    expect(await readStatus(A)).toMatchObject({ code: 0 })
  })
})

/**
 * Measures images of GiB, by default of 4, and small ones with ten signatures that 200 trusted keys may have made, through the service
 * (docs/design/budgets.md): how long an upload takes (by HTTP in parts, by the command line, to a folder and to S3), how long until the
 * signature is verified, what others wait meanwhile, and the most memory. `ratio` is the worst p95 of lists and health over its quiet
 * value. `node bench/large-image.ts [gibibytes] [a part of the names of what is measured]`
 */
import { spawn } from 'node:child_process'
import {
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../server/src/config/config.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { encodePae } from '../server/src/formats/dsse.ts'
import { MESSAGES } from '../server/src/messages.ts'
import { openContext } from '../server/src/open-context.ts'
import { OPERATOR } from '../server/src/platform/actor.ts'
import { createLog } from '../server/src/platform/log.ts'
import { makeMcubootImage } from '../server/test/given-mcuboot.ts'
import { hasS3Server, startS3Server } from '../server/test/s3-server.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, declareOnly, readBenchArguments } from './bench-arguments.ts'
import { askService, send } from './fairness-probes.ts'
import { readUsage } from './fairness-processes.ts'
import { keepFigure } from './figures.ts'
import { computePercentile } from './portfolio-folder.ts'
import { makeCertificate, writeBundle, writeSwu } from './signed-images.ts'

const MOST_RATIO = 3
/** Of the service and of its helpers together. */
const MOST_MEBIBYTES = 500
const MOST_SECONDS = 120
const MEBIBYTE = 1024 * 1024
const PART_BYTES = 32 * MEBIBYTE

const { gibibytes, only } = readBenchArguments({ gibibytes: countArgument(4), only: declareOnly() })
const BYTES = gibibytes * 1024 * MEBIBYTE

const folder = mkdtempSync(join(tmpdir(), 'plimsoll-large-image-'))
const isChosen = (name: string) => only === undefined || name.includes(only)

interface Caller {
  url: string
  workspaceId: string
  apiKey: string
}

interface Service {
  caller: Caller
  managementUrl: string
  pid: number
  firmwareId: string
  close: () => Promise<void>
}

async function openService(env: Record<string, string> = {}): Promise<Service> {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const [port, managementPort] = [await freePort(), await freePort()]
  const service = await startServiceProcess({
    dataDir,
    port,
    managementPort,
    env: { PLIMSOLL_LOG_LEVEL: 'warn', ...env },
  })
  const { ctx, close } = await openContext({
    config: readConfig({ PLIMSOLL_DATA_DIR: dataDir }),
    log: createLog('silent'),
    onProgress: () => undefined,
    messages: MESSAGES,
    as: 'command',
  })
  const owner = { name: 'Acme', ownerEmail: 'bench@example.com', actor: OPERATOR }
  const caller = { url: service.url, ...(await bootstrapWorkspace(ctx, owner)) }
  await close()
  const { id } = await askService<{ id: string }>(caller, '/firmwares', { slug: 'gateway' })
  return {
    caller,
    managementUrl: service.managementUrl,
    pid: service.child.pid ?? 0,
    firmwareId: id,
    close: async () => {
      await endProcess(service.child, 'SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const trust = ({ caller }: Service, key: string) =>
  askService(caller, '/trusted-keys', { name: crypto.randomUUID(), key })

async function createVersion({ caller, firmwareId }: Service): Promise<string> {
  const path = `/firmwares/${firmwareId}/versions`
  return (await askService<{ id: string }>(caller, path, { name: crypto.randomUUID() })).id
}

/** What others wait, and the most memory, until `stop` is called. */
function watch({ caller, managementUrl, pid }: Service) {
  const times = { lists: [] as number[], health: [] as number[] }
  const most = { service: 0, helpers: 0 }
  const { seconds: before } = readUsage(pid)
  const over = new AbortController()
  const look = async () => {
    while (!over.signal.aborted) {
      const { mebibytes } = readUsage(pid)
      most.service = Math.max(most.service, mebibytes.service)
      most.helpers = Math.max(most.helpers, mebibytes.helpers)
      await delay(250)
    }
  }
  const repeat = async (what: keyof typeof times, ask: () => Promise<Response>) => {
    do {
      const startedAt = performance.now()
      const answer = await ask()
      await answer.arrayBuffer()
      times[what].push(performance.now() - startedAt)
      if (!answer.ok) throw new Error(`${what}: ${answer.status}`)
      await delay(20)
    } while (!over.signal.aborted)
  }
  const all = Promise.all([
    look(),
    repeat('lists', () => send(caller, '/vulnerability-findings/list', { limit: 100 })),
    repeat('health', () => fetch(`${managementUrl}/health/ready`)),
  ])
  return async () => {
    over.abort()
    await all
    const { seconds: after } = readUsage(pid)
    const took = {
      service: after.service - before.service,
      helpers: after.helpers - before.helpers,
    }
    const p95 = (what: keyof typeof times) => computePercentile(times[what], 0.95)
    return {
      lists: p95('lists'),
      health: p95('health'),
      longest: computePercentile(times.health, 1),
      most,
      took,
    }
  }
}

type Watched = Awaited<ReturnType<ReturnType<typeof watch>>>

const rows: Record<string, string>[] = []
let quiet: Watched | undefined

async function measure(what: string, service: Service, work: () => Promise<string>): Promise<void> {
  const stop = watch(service)
  const startedAt = performance.now()
  const got = await work()
  const seconds = (performance.now() - startedAt) / 1000
  const watched = await stop()
  quiet ??= watched
  const ratio = Math.max(watched.lists / quiet.lists, watched.health / quiet.health)
  const { service: own, helpers } = watched.most
  keepFigure({ what: `${what}: time`, value: seconds, unit: 's', most: MOST_SECONDS })
  keepFigure({
    what: `${what}: greatest p95 to its quiet value`,
    value: ratio,
    unit: '×',
    most: MOST_RATIO,
  })
  keepFigure({ what: `${what}: memory`, value: own + helpers, unit: 'MiB', most: MOST_MEBIBYTES })
  rows.push({
    what,
    seconds: seconds.toFixed(1),
    processor: `${watched.took.service.toFixed(1)} + ${watched.took.helpers.toFixed(1)}`,
    lists: watched.lists.toFixed(0),
    health: watched.health.toFixed(0),
    longest: watched.longest.toFixed(0),
    ratio: ratio.toFixed(1),
    MiB: `${own.toFixed(0)} + ${helpers.toFixed(0)}`,
    load: (loadavg()[0] ?? 0).toFixed(1),
    got,
  })
  console.log(JSON.stringify(rows.at(-1)))
}

const artifactPath = (versionId: string) => `/firmware-versions/${versionId}/artifact`

function call(
  { url, workspaceId, apiKey }: Caller,
  path: string,
  init: RequestInit & { duplex?: 'half' },
) {
  const headers = { authorization: `Bearer ${apiKey}`, ...(init.headers as Record<string, string>) }
  return fetch(`${url}/workspaces/${workspaceId}${path}`, { ...init, headers })
}

async function uploadInParts(
  { caller }: Service,
  versionId: string,
  path: string,
): Promise<string> {
  const total = statSync(path).size
  let [place, slowest] = ['', 0]
  for (let at = 0; at < total; at += PART_BYTES) {
    const end = Math.min(total, at + PART_BYTES) - 1
    const startedAt = performance.now()
    const answer = await call(caller, `${artifactPath(versionId)}${place}`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        'content-range': `bytes ${at}-${end}/${total}`,
      },
      body: Readable.toWeb(createReadStream(path, { start: at, end })) as ReadableStream,
      duplex: 'half',
    })
    if (!answer.ok) throw new Error(await answer.text())
    const { uploadId } = (await answer.json()) as { uploadId?: string }
    if (uploadId !== undefined) place = `?uploadId=${uploadId}`
    slowest = Math.max(slowest, performance.now() - startedAt)
  }
  return `longest request ${(slowest / 1000).toFixed(1)} s`
}

const MAIN = resolve(import.meta.dirname, '../cli/src/main.ts')

/** By the command line, with what it says on its way. */
async function runCli({ caller }: Service, ...args: string[]): Promise<string> {
  const { url, apiKey, workspaceId } = caller
  const named = { PLIMSOLL_URL: url, PLIMSOLL_API_KEY: apiKey, PLIMSOLL_WORKSPACE: workspaceId }
  const child = spawn(process.execPath, [MAIN, 'artifact', ...args], {
    env: { ...process.env, ...named },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await once(child, 'close')
  return said.trim().replaceAll('\n', ' | ')
}

interface Verification {
  state: string
  reason: string
  signatures: unknown[]
}

async function readVerification({ caller }: Service, versionId: string): Promise<Verification> {
  const { verifications } = await askService<{ verifications: Verification[] }>(
    caller,
    `/firmware-versions/${versionId}/image-verifications`,
  )
  const [found] = verifications
  if (!found) throw new Error('The version has no artifact.')
  return found
}

/** Once that many signatures were found. */
async function waitUntilChecked(service: Service, versionId: string, count = 0): Promise<string> {
  for (;;) {
    const { state, reason, signatures } = await readVerification(service, versionId)
    if (state !== 'Checking' && signatures.length >= count)
      return `${state}. ${reason.slice(0, 100)}`
    await delay(50)
  }
}

/** Uploads it, and waits for the verdict. */
async function measureFile(
  name: string,
  service: Service,
  { path, isByCli = false }: { path: string; isByCli?: boolean },
): Promise<void> {
  const versionId = await createVersion(service)
  await measure(`${name}: upload`, service, () =>
    isByCli ? runCli(service, 'upload', versionId, path) : uploadInParts(service, versionId, path),
  )
  await measure(`${name}: check`, service, () => waitUntilChecked(service, versionId))
  await call(service.caller, artifactPath(versionId), { method: 'DELETE' })
}

const RSA = (bits: number) => ['-newkey', `rsa:${bits}`]
const P256 = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256']

/** Takes this process for long: connections that the service closed meanwhile are noticed after it. */
async function makeFile(make: () => void): Promise<void> {
  make()
  await delay(500)
}

async function measureLargeFiles(service: Service, of: string): Promise<void> {
  await trust(service, makeCertificate(folder, 'signer', P256))
  const path = join(folder, 'image')
  const file = { folder, path, bytes: BYTES, signers: ['signer'] }
  await makeFile(() => writeBundle(file))
  await measureFile(`${of} RAUC, signed at its end, HTTP`, service, { path })
  if (of !== 'folder') return
  await measureFile(`${of} RAUC, signed at its end, CLI`, service, { path, isByCli: true })
  await makeFile(() => writeSwu(file))
  await measureFile(`${of} SWUpdate, HTTP`, service, { path })
  await makeFile(() => writeSwu({ ...file, isAtEnd: true }))
  await measureFile(`${of} SWUpdate, described at its end, HTTP`, service, { path })
}

const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()

/** 200 of mixed kinds. Those of RSA have a modulus and no private part, which no check needs. */
async function trustMany(service: Service): Promise<void> {
  const names = Array.from({ length: 8 }, (_, index) => `trusted-${index}`)
  const rsa = (bits: number) => () => {
    const n = randomBytes(bits / 8)
    n[0] = 0xff
    n[n.length - 1] = 0xff
    return createPublicKey({
      key: { kty: 'RSA', n: n.toString('base64url'), e: 'AQAB' },
      format: 'jwk',
    })
  }
  const ec = (namedCurve: string) => () => generateKeyPairSync('ec', { namedCurve }).publicKey
  const kinds: (readonly [number, () => KeyObject])[] = [
    [40, ec('P-256')],
    [20, ec('P-384')],
    [20, ec('P-521')],
    [40, () => generateKeyPairSync('ed25519').publicKey],
    [30, rsa(2048)],
    [42, rsa(4096)],
  ]
  for (const name of names) await trust(service, makeCertificate(folder, name, P256))
  for (const [count, make] of kinds)
    for (let index = 0; index < count; index += 1) await trust(service, pem(make()))
}

/** What is uploaded, and the signatures beside it. */
interface Signed {
  bytes: Buffer
  beside?: readonly string[]
}

const TEN = Array.from({ length: 10 }, (_, index) => index)

function makeTenSigned(): Record<string, () => Signed> {
  const content = randomBytes(64 * MEBIBYTE)
  const signers = TEN.map((index) => `signer-${index}`)
  for (const [index, name] of signers.entries())
    makeCertificate(folder, name, index < 2 ? RSA(4096) : P256)
  const path = join(folder, 'ten')
  const file = { folder, path, bytes: 16 * MEBIBYTE, signers }
  const read = () => readFileSync(path)
  const keys = TEN.map((index) =>
    index % 2 === 0
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('ed25519'),
  ).map(({ privateKey }) => privateKey)
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const edwards = generateKeyPairSync('ed25519').privateKey
  const raw = (signature: Buffer) => signature.toString('base64')
  /** `algorithm`: ED over BLAKE2b, Ed over the file itself. */
  const minisign = (algorithm: 'ED' | 'Ed') => {
    const key = Buffer.concat([Buffer.from(algorithm), randomBytes(8 + 64)]).toString('base64')
    return `untrusted comment: x\n${key}\ntrusted comment: x\n${raw(randomBytes(64))}\n`
  }
  const times = (make: () => string) => TEN.map(make)
  return {
    MCUboot: () => ({
      bytes: makeMcubootImage({ keys, body: content.subarray(0, 16 * MEBIBYTE) }),
    }),
    RAUC: () => (writeBundle(file), { bytes: read() }),
    SWUpdate: () => (writeSwu(file), { bytes: read() }),
    cosign: () => ({
      bytes: content,
      beside: times(() => raw(sign('sha256', randomBytes(9), ec))),
    }),
    minisign: () => ({ bytes: content, beside: times(() => minisign('ED')) }),
    'minisign -l': () => ({ bytes: content, beside: times(() => minisign('Ed')) }),
    Ed25519: () => ({
      bytes: content,
      beside: times(() => raw(sign(null, randomBytes(9), edwards))),
    }),
  }
}

async function measureSignatures(service: Service): Promise<void> {
  await trustMany(service)
  for (const [format, make] of Object.entries(makeTenSigned())) {
    const name = `ten signatures, ${format}`
    if (!isChosen(name)) continue
    const { bytes, beside = [] } = make()
    const versionId = await createVersion(service)
    const path = artifactPath(versionId)
    await measure(`${name}: upload and check`, service, async () => {
      const headers = { 'content-type': 'application/octet-stream' }
      await call(service.caller, path, { method: 'PUT', headers, body: new Uint8Array(bytes) })
      for (const signature of beside)
        await askService(service.caller, `${path}/signatures`, { fileName: 'x', signature })
      return waitUntilChecked(service, versionId, TEN.length)
    })
    await measure(`${name}: 20 questions`, service, async () => {
      for (const _ of [...TEN, ...TEN]) await readVerification(service, versionId)
      return ''
    })
  }
}

/** Of as many bytes as a statement may have, with signatures that name no key. */
async function measureStatement(service: Service): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const payloadType = 'application/vnd.in-toto+json'
  const payload = Buffer.from(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'image', digest: { sha256: '0'.repeat(64) } }],
      predicateType: 'https://example.com/filled',
      predicate: { filling: 'x'.repeat(5 * MEBIBYTE) },
    }),
  )
  const other = encodePae(payloadType, Buffer.from('other'))
  const signatures = TEN.map(() => ({ sig: sign('sha256', other, privateKey).toString('base64') }))
  const statement = JSON.stringify({ payloadType, payload: payload.toString('base64'), signatures })
  const path = `/firmware-versions/${await createVersion(service)}/provenance-statements`
  await measure('statement of 7 MiB with ten signatures', service, async () => {
    const { state } = await askService<Verification>(service.caller, path, {
      fileName: 'x',
      statement,
    })
    return state
  })
}

async function measureOn(of: string, env: Record<string, string> = {}): Promise<void> {
  const service = await openService(env)
  try {
    await measure(`${of}: nothing`, service, () => delay(5_000, ''))
    if (isChosen('large')) await measureLargeFiles(service, of)
    if (of !== 'folder') return
    if (only === undefined || 'ten signatures'.startsWith(only) || only.startsWith('ten'))
      await measureSignatures(service)
    if (isChosen('statement')) await measureStatement(service)
  } finally {
    await service.close()
  }
}

async function measureS3(): Promise<void> {
  const { config, stop } = await startS3Server()
  const { endpoint = '', bucket, accessKeyId, secretAccessKey } = config
  try {
    await measureOn('S3', {
      PLIMSOLL_S3_ENDPOINT: endpoint,
      PLIMSOLL_S3_BUCKET: bucket,
      PLIMSOLL_S3_ACCESS_KEY_ID: accessKeyId,
      PLIMSOLL_S3_SECRET_ACCESS_KEY: secretAccessKey,
    })
  } finally {
    await stop()
  }
}

try {
  await measureOn('folder')
  if (hasS3Server && isChosen('large')) await measureS3()
  else console.log('S3 was not measured.')
  console.table(rows)
  console.log(
    'lists, health: p95 in ms of others meanwhile; longest: of health. ratio: the worst p95 over its quiet value. processor: seconds of the service + of its helpers. MiB: the most of the service + of its helpers.',
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

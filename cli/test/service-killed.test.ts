/** What pipelines see when the service is killed while they wait for it: real processes, and what may stand in front of a service. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../server/test/database.ts'
import { findProgram } from '../../server/test/programs.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from '../../server/test/service-process.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenSbom } from './service.ts'

const MAIN = await findProgram('client')
const VERSION = ['--firmware', 'gateway', '--version', 'main']

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

function start(env: Environment, args: readonly string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      written[name] += chunk.toString()
    })
  const ended = once(child, 'close').then(([code]): Ended => ({
    code: code as number | null,
    ...written,
  }))
  return { written, ended }
}

/** Many components, so that a check takes a while. */
const file = givenSbom(
  'image.json',
  Array.from({ length: 8_000 }, (_, index) => ({
    name: `part-${index}`,
    version: '1.0.0',
    purl: `pkg:npm/part-${index}@1.0.0`,
  })),
)
const commands = (timeout: string) => [
  ['sbom', 'upload', file, ...VERSION, '--create', '--wait', '--timeout', timeout],
  ['findings', 'check', ...VERSION, '--timeout', timeout],
  ['sbom', 'check', file],
]

describe('when the service is killed', () => {
  let settings: ServiceSettings
  let service: ServiceProcess
  let env: Environment
  /** Without a worker nothing becomes ready. */
  const startWithoutWorker = async () => {
    service = await startServiceProcess({ ...settings, args: ['--roles', 'api'] })
  }
  beforeAll(async () => {
    const { connectionString } = await createTestDatabase()
    settings = {
      dataDir: mkdtempSync(join(tmpdir(), 'plimsoll-cli-killed-')),
      port: await freePort(),
      managementPort: await freePort(),
      env: { DATABASE_URL: connectionString },
    }
    await startWithoutWorker()
    const args = ['bootstrap', '--workspace', 'W', '--owner', 'a@example.com', '--json']
    const { apiKey } = JSON.parse((await runAdmin(settings, ...args)).stdout) as { apiKey: string }
    env = { PLIMSOLL_URL: service.url, PLIMSOLL_API_KEY: apiKey }
  })
  afterAll(() => endProcess(service.child, 'SIGKILL'))

  /** Starts all commands and kills the service once each of them waits for it. */
  async function killWhileTheyWait(timeout: string) {
    const [upload = [], findings = [], check = []] = commands(timeout)
    const running = []
    for (const args of [upload, findings]) {
      const command = start(env, args)
      running.push(command.ended)
      await expect.poll(() => command.written.stderr, { interval: 20 }).toContain(': parsing\n')
    }
    running.push(start(env, check).ended)
    const copies = `plimsoll-copies-${service.child.pid ?? 0}-`
    const isChecking = () => readdirSync(tmpdir()).some((name) => name.startsWith(copies))
    await expect.poll(isChecking, { interval: 10 }).toBe(true)
    await endProcess(service.child, 'SIGKILL')
    return running
  }

  it('they say in words that it cannot be reached, with the exit code of that', async () => {
    // All three must wait by then, also on a busy machine.
    const ended = await Promise.all(await killWhileTheyWait('20'))

    for (const { code, stdout, stderr } of ended) {
      expect([stderr, code]).toEqual([expect.stringContaining('Cannot reach'), EXIT.unavailable])
      expect(stdout).toBe('')
      expect(stderr).not.toMatch(/\n {4}at /)
    }
  })

  it('they go on once it is started again', async () => {
    await startWithoutWorker()
    const running = await killWhileTheyWait('100')
    // Longer than ordinary requests are tried again.
    await delay(5000)
    service = await startServiceProcess(settings)
    const ended = await Promise.all(running)

    // No source was read, which is what the checks say.
    expect(ended.map(({ code }) => code)).toEqual([EXIT.ok, EXIT.sourceStale, EXIT.sourceStale])
  })
})

describe('when nothing of the service answers', () => {
  const ends = async (url: string) =>
    Promise.all(
      commands('5').map(
        (args) => start({ PLIMSOLL_URL: url, PLIMSOLL_API_KEY: 'plm_key' }, args).ended,
      ),
    )
  async function serve(listener: RequestListener) {
    const server = createServer(listener).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { port: (server.address() as AddressInfo).port, server }
  }

  it('says why, in two lines, whatever stands there instead', async () => {
    const proxy = await serve((_, response) => {
      response.writeHead(502, { 'content-type': 'text/html', server: 'nginx' })
      response.end('<html><h1>502 Bad Gateway</h1></html>')
    })
    const broken = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write('{"workspaceId":', () => response.destroy())
    })
    const [refused, tls, gateway, cut] = await Promise.all([
      ends(`http://127.0.0.1:${await freePort()}`),
      ends(`https://127.0.0.1:${proxy.port}`),
      ends(`http://127.0.0.1:${proxy.port}`),
      ends(`http://127.0.0.1:${broken.port}`),
    ])
    for (const { server } of [proxy, broken]) server.close()

    for (const [ended, words] of [
      [refused, /^Cannot reach http:.*: connect ECONNREFUSED 127.*\nIs --url .*\n$/],
      [tls, /^Cannot reach https:.*: TLS: wrong version number\.\nIs --url .*\n$/],
      [gateway, /^http.* by nginx with status 502 .*\nThe proxy .* does the service run\?\n$/],
      [cut, /^The connection to the service ended before its answer was complete\.\n$/],
    ] as const)
      for (const { code, stderr } of ended)
        expect([stderr, code]).toEqual([expect.stringMatching(words), EXIT.unavailable])
  })
})

/**
 * A real balancer for tests: Debian's `haproxy` with deploy/haproxy/haproxy.cfg as it is. PLIMSOLL_REQUIRE_HAPROXY=1 makes
 * its absence an error.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { closeAtEndOfFile } from './end-of-file.ts'
import { freePort } from './service-process.ts'

const CONFIGURATION = resolve(import.meta.dirname, '../../deploy/haproxy/haproxy.cfg')

// Debian installs it in a folder of root's path.
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`

export const hasHaproxy =
  spawnSync('haproxy', ['-v'], { env: { PATH }, stdio: 'ignore' }).status === 0

if (!hasHaproxy && process.env['PLIMSOLL_REQUIRE_HAPROXY'] === '1')
  throw new Error('HAProxy is required but cannot be run: apt-get install haproxy')

export interface Haproxy {
  /** What it says about nodes. */
  output: () => string
  stop: () => Promise<void>
}

/** `env` names the nodes and where to listen. Resolves when `url` is answered by a node. */
export async function startHaproxy(env: Record<string, string>, url: string): Promise<Haproxy> {
  const child = spawn('haproxy', ['-db', '-f', CONFIGURATION], {
    env: { PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let written = ''
  child.stderr.on('data', (chunk: Buffer) => {
    written += chunk.toString()
  })
  while (!(await isAnswered(url))) {
    if (child.exitCode !== null) throw new Error(`haproxy ended:\n${written}`)
    await delay(20)
  }
  return {
    output: () => written,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

/** TLS with HTTP/2 before one port of this machine, and nothing else. It ends with the test file; the port is that of the proxy. */
export async function startTlsHaproxy(
  folder: string,
  { upstream, certificate, key }: { upstream: number; certificate: string; key: string },
): Promise<number> {
  const port = await freePort()
  const [pem, config] = [join(folder, 'haproxy.pem'), join(folder, 'haproxy.cfg')]
  writeFileSync(pem, certificate + key)
  writeFileSync(
    config,
    `defaults
  mode http
  timeout connect 1m
  timeout client 1m
  timeout server 1m
listen plimsoll
  bind 127.0.0.1:${port} ssl crt ${pem} alpn h2,http/1.1
  server api 127.0.0.1:${upstream}
`,
  )
  const child = spawn('haproxy', ['-db', '-f', config], { env: { PATH }, stdio: 'ignore' })
  const ended = once(child, 'exit')
  closeAtEndOfFile(() => {
    child.kill()
    return ended
  })
  return port
}

const isAnswered = (url: string) =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * A real broker for tests: Debian's `mosquitto`, with the configuration of deploy/mosquitto. PLIMSOLL_REQUIRE_SERVICES=1 makes
 * its absence an error. It runs in a folder of its own, with accounts and access rules as docs/guide/mqtt.md shows them.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './service-process.ts'

const SHIPPED = join(import.meta.dirname, '../../deploy/mosquitto')

// Debian installs it in a folder of root's path.
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`
const env = { ...process.env, PATH }

// `mosquitto -h` prints its help and ends with 3.
export const hasMosquitto =
  spawnSync('mosquitto', ['-h'], { env, encoding: 'utf8' }).stdout?.includes('mosquitto version') ??
  false

if (!hasMosquitto && process.env['PLIMSOLL_REQUIRE_SERVICES'] === '1')
  throw new Error('Mosquitto is required but cannot be run: apt-get install mosquitto')

export interface Mosquitto {
  port: number
  url: string
  service: { username: string; password: string }
  stop: () => Promise<void>
  start: () => Promise<void>
}

export interface BrokerAccount {
  username: string
  password: string
  workspaceId: string
  deviceId: string
}

const SERVICE = { username: 'plimsoll', password: 'service-password' }

export async function startMosquitto(accounts: readonly BrokerAccount[]): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-mosquitto-'))
  // Started as root, it changes to the user `mosquitto` before it reads them.
  chmodSync(folder, 0o777)
  const port = await freePort()
  writeFileSync(join(folder, 'passwords'), passwordsOf(accounts), { mode: 0o644 })
  hashPasswords(join(folder, 'passwords'))
  writeFileSync(join(folder, 'rules'), rulesOf(accounts))
  const shipped = readFileSync(join(SHIPPED, 'mosquitto.conf'), 'utf8')
  writeFileSync(
    join(folder, 'mosquitto.conf'),
    shipped
      .replaceAll(/\/mosquitto\/(?:config|data)/g, folder)
      .replace(/^listener 1883$/m, `listener ${port} 127.0.0.1`),
  )
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn('mosquitto', ['-c', join(folder, 'mosquitto.conf')], { env, stdio: 'ignore' })
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`mosquitto ended with ${child.exitCode}`)
      await delay(20)
    }
  }
  const end = async () => {
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  await start()
  return {
    port,
    url: `mqtt://127.0.0.1:${port}`,
    service: SERVICE,
    start,
    stop: end,
  }
}

function passwordsOf(accounts: readonly BrokerAccount[]): string {
  return [SERVICE, ...accounts]
    .map(({ username, password }) => `${username}:${password}\n`)
    .join('')
}

function hashPasswords(file: string): void {
  const { status } = spawnSync('mosquitto_passwd', ['-U', file], { env })
  if (status !== 0) throw new Error(`mosquitto_passwd ended with ${status}`)
  chmodSync(file, 0o644)
}

function rulesOf(accounts: readonly BrokerAccount[]): string {
  const devices = accounts.map(
    ({ username, workspaceId, deviceId }) =>
      `user ${username}\ntopic write plimsoll/v1/${workspaceId}/${deviceId}/up/#\ntopic read plimsoll/v1/${workspaceId}/${deviceId}/down/#\n`,
  )
  return [readFileSync(join(SHIPPED, 'rules'), 'utf8'), ...devices].join('\n')
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  }).finally(() => socket.destroy())
}

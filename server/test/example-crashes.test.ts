/** The clients in examples/ tell crashes: of themselves, and of what a hook for core dumps has written. */
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'
import { givenSyncingDevice } from './given-device-sync.ts'
import { EXAMPLES, eventually, givenPrograms, keep, start } from './given-example-client.ts'
import { givenGateway, mqttSettings, type TestGateway } from './given-mqtt.ts'
import { freePort } from './service-process.ts'

let test: TestApp
let gateway: TestGateway
let client: Client
let url: string

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  test = await startTestApp({ publicUrl: url, mqtt: mqttSettings(), deviceRequestsPerMinute: 0 })
  gateway = await givenGateway(test)
  await test.app.listen({ host: '127.0.0.1', port })
  client = await givenClient(test)
})

interface ToldCrash {
  reason: string
  buildId: string | null
  thread: string | null
  frames: { kind: string; address: string }[]
}

/** What the service has stored of the crashes of a device, the newest first. */
async function listCrashes(deviceId: string): Promise<ToldCrash[]> {
  const response = await client.get(`/devices/${deviceId}/crashes`)
  return response.json<{ reports: ToldCrash[] }>().reports
}

async function givenConnection(state: string) {
  const { deviceId, deviceKey } = await givenSyncingDevice(test, client.workspaceId)
  const env = {
    PLIMSOLL_URL: url,
    PLIMSOLL_MQTT_HOST: '127.0.0.1',
    PLIMSOLL_MQTT_PORT: String(gateway.port),
    PLIMSOLL_WORKSPACE: client.workspaceId,
    PLIMSOLL_DEVICE: deviceId,
    PLIMSOLL_DEVICE_KEY: deviceKey,
    PLIMSOLL_STATE: state,
  }
  return { deviceId, env }
}

givenPrograms(
  'gcc',
  'make',
  'nm',
  'readelf',
)(
  'the client in C crashes, and tells after its restart where, called by whom, and in which build',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plimsoll-c-'))
    cpSync(join(EXAMPLES, 'mcu-client-c'), folder, { recursive: true })
    expect(spawnSync('make', ['-C', folder, 'device']).status).toBe(0)
    const program = join(folder, 'device')
    const { deviceId, env } = await givenConnection(join(folder, 'state'))

    const device = start({ command: program, args: [], env: { ...env, PLIMSOLL_CRASH: '1' } })
    await eventually(async () => (await listCrashes(deviceId)).length > 0, device)

    const [crash] = await listCrashes(deviceId)
    const symbols = String(spawnSync('nm', ['-S', program]).stdout)
    const notes = String(spawnSync('readelf', ['-n', program]).stdout)
    expect(crash).toMatchObject({ reason: 'SIGSEGV', thread: 'main' })
    expect(notes).toContain(`Build ID: ${crash?.buildId}`)
    const named = crash?.frames.map(({ kind, address }) =>
      // A call that is the last instruction of its function returns to behind the function.
      findSymbol(symbols, BigInt(address) - (kind === 'ProgramCounter' ? 0n : 1n)),
    )
    expect(named?.slice(0, 3)).toEqual(['read_sensor', 'read_sensors', 'main'])
  },
)

/** The function whose code has the address; compilers add words to names of their copies. */
function findSymbol(symbols: string, address: bigint): string | undefined {
  const lines = symbols.matchAll(/^(\w+) (\w+) [tT] (\w+)/gm)
  const found = [...lines].find(([, begin = '', size = '']) => {
    const from = BigInt(`0x${begin}`)
    return address >= from && address < from + BigInt(`0x${size}`)
  })
  return found?.[3]
}

const REPORT = `reason: SIGABRT
pc: 0x12a4
return: 0x1310
return: 0x1188
thread: sensord
buildId: 3db375ecb42773dadac9aef9e68e57f9087d5135
`
const TOLD = {
  reason: 'SIGABRT',
  thread: 'sensord',
  buildId: '3db375ecb42773dadac9aef9e68e57f9087d5135',
  frames: [
    { kind: 'ProgramCounter', address: '0x12a4' },
    { kind: 'ReturnAddress', address: '0x1310' },
    { kind: 'ReturnAddress', address: '0x1188' },
  ],
}

givenPrograms('mosquitto_pub', 'jq')(
  'the shell client tells a crash that is piped in',
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'plimsoll-shell-'))
    const { deviceId, env } = await givenConnection(state)
    const script = join(EXAMPLES, 'shell-client/plimsoll-device.sh')

    const child = spawn('sh', [script, 'crash'], { env: { ...process.env, ...env } })
    keep(child)
    child.stdin.end(REPORT)
    const status = await new Promise((resolveStatus) => child.once('close', resolveStatus))

    expect(status).toBe(0)
    expect(await listCrashes(deviceId)).toMatchObject([TOLD])
    expect(readdirSync(join(state, 'crashes'))).toEqual([])
  },
)

givenPrograms('python3')(
  'the Python client tells a crash that a hook wrote down, once',
  async () => {
    const state = mkdtempSync(join(tmpdir(), 'plimsoll-python-'))
    mkdirSync(join(state, 'crashes'))
    writeFileSync(join(state, 'crashes', '1790000000-4711.txt'), REPORT)
    const { deviceId, env } = await givenConnection(state)

    const script = join(EXAMPLES, 'python-client/plimsoll_device.py')
    const device = start({
      command: 'python3',
      args: [script, `--state=${state}`, '--every=0.2', '--slug=main', '--version=1.0.0'],
      env: { ...env, PYTHONDONTWRITEBYTECODE: '1' },
    })
    await eventually(
      () => Promise.resolve(readdirSync(join(state, 'crashes')).length === 0),
      device,
    )

    expect(await listCrashes(deviceId)).toMatchObject([TOLD])
  },
)

/** A process as the kernel shows it to the program of core_pattern while it waits for that. */
function givenDyingProcess(program: string, place: { begin: bigint; counter: bigint }): string {
  const proc = mkdtempSync(join(tmpdir(), 'plimsoll-proc-'))
  const folder = join(proc, '77')
  mkdirSync(folder)
  symlinkSync('/', join(folder, 'root'))
  const { begin, counter } = place
  const hex = (address: bigint) => address.toString(16)
  writeFileSync(join(folder, 'comm'), 'odd (one) 2\n')
  const fields = ['77', '(odd (one) 2)', 'S', ...Array.from({ length: 26 }, () => '0')]
  writeFileSync(join(folder, 'stat'), [...fields, String(counter), '0', '0'].join(' '))
  writeFileSync(
    join(folder, 'maps'),
    `${hex(begin)}-${hex(begin + 0x1000n)} r--p 00000000 fe:00 247026    ${program}\n` +
      `${hex(begin + 0x1000n)}-${hex(begin + 0x3000n)} r-xp 00001000 fe:00 247026    ${program}\n`,
  )
  return proc
}

givenPrograms(
  'gcc',
  'nm',
  'readelf',
  'awk',
)(
  'the hook for core dumps writes the address as the ELF file has it, wherever it was loaded',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'plimsoll-core-'))
    const source = join(folder, 'sensord.c')
    writeFileSync(source, 'int main(void) { return 0; }\n')
    const told = ['-pie', '-no-pie'].map((flag) => {
      const program = join(folder, `sensord${flag}`)
      spawnSync('gcc', [flag, '-Wl,--build-id=0xc0ffee01', '-o', program, source])
      const symbols = String(spawnSync('nm', [program]).stdout)
      const main = BigInt(`0x${/^(\w+) T main$/m.exec(symbols)?.[1] ?? '0'}`)
      const begin = flag === '-pie' ? 0x55c5_9afb_7000n : 0x40_0000n
      const counter = flag === '-pie' ? begin + main : main
      const reports = join(folder, flag)
      const proc = givenDyingProcess(program, { begin, counter })
      const hook = join(EXAMPLES, 'shell-client/core-to-crash.sh')
      const env = { ...process.env, PLIMSOLL_PROC: proc }
      const ran = spawnSync('sh', [hook, reports, '77', '11'], { env, encoding: 'utf8' })
      expect([ran.status, ran.stderr]).toEqual([0, ''])
      const [name = ''] = readdirSync(reports)
      return { text: readFileSync(join(reports, name), 'utf8'), main }
    })

    for (const { text, main } of told) {
      expect(text).toContain(`reason: SIGSEGV\npc: 0x${main.toString(16)}\nthread: odd (one) 2\n`)
      expect(text).toContain('buildId: c0ffee01\n')
    }
  },
)

/** Crashes of a real program, resolved with the ELF file that a real compiler made. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, runPlimsoll, startService } from './service.ts'

const missing = ['gcc', 'addr2line', 'nm'].filter(
  (program) => spawnSync(program, ['--version']).status !== 0,
)
if (missing.length > 0) process.stderr.write(`skipped, missing: ${missing.join(', ')}\n`)

const FOLDER = mkdtempSync(join(tmpdir(), 'plimsoll-crash-'))
const SOURCE = `
__attribute__((noinline)) int read_sensor(volatile int *address) { return *address; }
__attribute__((noinline)) int read_all(volatile int *address) { return read_sensor(address) + 1; }
int main(int argc, char **argv) { (void)argv; return read_all(&argc); }
`

interface Build {
  elf: string
  buildId: string
  addressOf: (name: string) => number
}

/** `isMovable`: a position-independent program (PIE), as distributions build them. Without a build id it has none. */
function givenBuild(
  buildId: string,
  { padding = 0, isMovable = false, hasBuildId = true } = {},
): Build {
  const source = join(FOLDER, 'sensors.c')
  writeFileSync(source, `int pad[${padding + 1}] = {1};\n`.repeat(1) + filler(padding) + SOURCE)
  const elf = join(FOLDER, buildId)
  const position = isMovable ? ['-fPIE', '-pie'] : ['-no-pie']
  const named = hasBuildId ? `-Wl,--build-id=0x${buildId}` : '-Wl,--build-id=none'
  const flags = ['-g', '-O1', ...position, named]
  const built = spawnSync('gcc', [...flags, '-o', elf, source])
  expect([built.status, String(built.stderr)]).toEqual([0, ''])
  const symbols = String(spawnSync('nm', [elf]).stdout)
  const addressOf = (name: string) =>
    Number.parseInt(new RegExp(`^(\\w+) \\w ${name}$`, 'm').exec(symbols)?.[1] ?? '', 16)
  return { elf, buildId, addressOf }
}

/** Moves the functions to other addresses. */
const filler = (padding: number) =>
  padding === 0 ? '' : `int filler(int x) { ${'x = x * 3 + pad[0]; '.repeat(padding)} return x; }\n`

let service: Awaited<ReturnType<typeof startService>>
let environment: Environment
let report: (deviceId: string, body: object) => Promise<void>

beforeAll(async () => {
  service = await startService({ withWorker: false })
  const workspace = await service.givenWorkspace()
  environment = service.environmentOf(workspace)
  await run('settings', 'update', '--device-auto-registration')
  const { issueDeviceKey } = await import('../../server/src/features/devices/index.ts')
  const { workspaceId } = workspace
  const actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
  const { deviceKey } = await issueDeviceKey(service.ctx, { workspaceId, name: 'fleet', actor })
  report = async (deviceId, body) => {
    const response = await fetch(`${service.url}/device/v1/${workspaceId}/${deviceId}/sync`, {
      method: 'POST',
      headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, await response.json()]).toMatchObject([200, {}])
  }
  await run('firmware', 'create', 'sensor-node')
  await run('firmware-version', 'create', 'sensor-node@1.0.0')
  await run('firmware-version', 'create', 'sensor-node@1.1.0')
})

async function run(...args: string[]) {
  return runPlimsoll(environment, args)
}

async function crash(
  deviceId: string,
  { buildId, addressOf }: Build,
  more: { version: string; reason: string; outside?: number; loadAddress?: number },
): Promise<void> {
  const { version, reason, outside, loadAddress = 0 } = more
  // A return address is behind its call; these functions are some bytes long.
  const returns = [addressOf('read_all') + 9, ...(outside === undefined ? [] : [outside])]
  await report(deviceId, {
    session: { runId: `${deviceId}-1`, firmware: [{ slug: 'sensor-node', version }] },
    crashes: [
      {
        reason,
        pc: `0x${(loadAddress + addressOf('read_sensor')).toString(16)}`,
        returnAddresses: returns.map((one) => `0x${(loadAddress + one).toString(16)}`),
        ...(loadAddress > 0 && { loadAddress: `0x${loadAddress.toString(16)}` }),
        thread: 'main',
        ...(buildId !== '' && { buildId }),
        runId: `${deviceId}-0`,
        sequence: 1,
      },
    ],
  })
}

interface Listed {
  crashGroups: { id: string; title: string; crashCount: number; isNamed: boolean }[]
}

async function listGroups(text: string): Promise<Listed['crashGroups']> {
  const { stdout } = await run('crash', 'list', '--text', text, '--json')
  return (JSON.parse(stdout) as Listed).crashGroups
}

describe.skipIf(missing.length > 0)('plimsoll crash', () => {
  it('resolves two builds, whose crashes are one kind then', async () => {
    const [one, other] = [givenBuild('aa'.repeat(20)), givenBuild('ab'.repeat(20), { padding: 9 })]
    await crash('s-1', one, { version: '1.0.0', reason: 'SIGSEGV' })
    await crash('s-2', other, { version: '1.1.0', reason: 'SIGSEGV' })
    const before = await listGroups('SIGSEGV')

    const first = await run('crash', 'resolve', '--elf', one.elf, '--strip-prefix', FOLDER)
    const second = await run('crash', 'resolve', '--elf', other.elf, '--strip-prefix', FOLDER)

    expect(before.map(({ isNamed }) => isNamed)).toEqual([false, false])
    expect(first.stdout).toBe(
      `Build ${one.buildId}: 2 addresses found in the source. 1 stack has names of functions in place of addresses now.\n`,
    )
    expect(second.exitCode).toBe(EXIT.ok)
    const groups = await listGroups('SIGSEGV')
    expect(groups).toMatchObject([
      { title: 'SIGSEGV in read_sensor', crashCount: 2, isNamed: true },
    ])
    const { stdout } = await run('crash', 'show', groups[0]?.id ?? '')
    expect(stdout).toMatch(/\n {2}0x[0-9a-f]+ {2}pc {2}read_sensor at sensors\.c:\d+\n/)
    expect(stdout).toMatch(/\n {2}0x[0-9a-f]+ {6}read_all at sensors\.c:\d+\n/)
    expect(stdout).toMatch(/\n1\.1\.0 +1 +1 /)
  })

  it('sends nothing in a dry run, and says what it would', async () => {
    const build = givenBuild('ba'.repeat(20))
    await crash('s-3', build, { version: '1.0.0', reason: 'dry' })

    const { stdout } = await run('crash', 'resolve', '--elf', build.elf, '--dry-run')

    expect(stdout).toMatch(/^0x[0-9a-f]+ {2}read_sensor \S+sensors\.c:\d+\n0x/)
    expect(stdout).toMatch(/ 2 addresses found in the source\. Nothing was sent\.\n$/)
    expect(await listGroups('dry')).toMatchObject([{ isNamed: false }])
  })

  it('says which addresses the file does not know, and looks them up again when asked', async () => {
    const build = givenBuild('bb'.repeat(20))
    await crash('s-4', build, { version: '1.0.0', reason: 'outside', outside: 0x12 })
    const resolve = ['crash', 'resolve', '--elf', build.elf, '--json']

    const first = await run(...resolve)
    const second = await run('crash', 'resolve', '--elf', build.elf)
    const again = await run(...resolve, '--all')

    expect(JSON.parse(first.stdout)).toMatchObject({ unknownCount: 1, openAddressCount: 0 })
    expect(second.stdout).toBe(
      `Build ${build.buildId}: all addresses were looked up before; --all does it again\n`,
    )
    expect(JSON.parse(again.stdout)).toMatchObject({ unknownCount: 1, lineCount: 3 })
    const [group] = await listGroups('outside')
    const shown = await run('crash', 'show', group?.id ?? '')
    expect(shown.stdout).toContain('not in the debug information')
  })

  it('sends nothing where the file knows no address, as a stripped one', async () => {
    const build = givenBuild('bc'.repeat(20))
    await crash('s-5', build, { version: '1.0.0', reason: 'stripped' })
    spawnSync('strip', [build.elf])

    const { exitCode, stderr } = await run('crash', 'resolve', '--elf', build.elf)

    expect([exitCode, stderr]).toEqual([
      EXIT.error,
      `addr2line knows none of the 2 addresses of build ${build.buildId} in ${build.elf}, so nothing was sent. Is it the file of this build, with its symbols (not stripped)?\n`,
    ])
  })

  it('resolves a program that is loaded at another address each time', async () => {
    const build = givenBuild('bf'.repeat(20), { isMovable: true })
    const reason = 'moved'
    await crash('s-7', build, { version: '1.0.0', reason, loadAddress: 0x55_5555_5540_00 })
    await crash('s-8', build, { version: '1.0.0', reason, loadAddress: 0x56_0123_4560_00 })

    const { stdout } = await run('crash', 'resolve', '--elf', build.elf)

    expect(stdout).toContain('2 addresses found in the source.')
    expect(await listGroups(reason)).toMatchObject([
      { title: 'moved in read_sensor', crashCount: 2, isNamed: true },
    ])
  })

  it('takes the build of a file without a build id from who says it', async () => {
    const build = { ...givenBuild('c0'.repeat(20), { hasBuildId: false }), buildId: '' }
    await crash('s-9', build, { version: '1.1.0', reason: 'nameless' })
    const resolve = ['crash', 'resolve', '--elf', build.elf]

    const refused = await run(...resolve)
    const told = await run(...resolve, '--build-id', 'sensor-node@1.1.0')

    expect([refused.exitCode, refused.stderr]).toEqual([
      EXIT.error,
      `${build.elf} has no build id. Link it with -Wl,--build-id, or say with --build-id what crashes name the build; plimsoll crash builds lists them.\n`,
    ])
    expect(told.stdout).toContain('2 addresses found in the source.')
    expect(await listGroups('nameless')).toMatchObject([{ title: 'nameless in read_sensor' }])
  })

  it('closes a kind of crash in a version, opens it again, and takes lines back', async () => {
    const build = givenBuild('bd'.repeat(20))
    await crash('s-6', build, { version: '1.0.0', reason: 'closing' })
    const [group] = await listGroups('closing')
    const id = group?.id ?? ''

    const closed = await run('crash', 'close', id, '--fixed-in', 'sensor-node@1.1.0')
    const listed = await run('crash', 'list', '--state', 'closed')
    const opened = await run('crash', 'reopen', id)
    const resolved = await run('crash', 'resolve', '--elf', build.elf)
    const unresolved = await run('crash', 'unresolve', build.buildId, '--yes')

    expect(closed.stdout).toMatch(/: fixed in 1\.1\.0; it opens again when that version crashes/)
    expect(listed.stdout).toContain('fixed in 1.1.0')
    expect([opened.exitCode, resolved.exitCode]).toEqual([EXIT.ok, EXIT.ok])
    expect(unresolved.stdout).toBe(`Build ${build.buildId}: it has no lines any more\n`)
    const { stdout } = await run('crash', 'builds')
    expect(stdout).toMatch(new RegExp(`\n${build.buildId} +(not known|\\S+@\\S+) +2 +2 `))
  })
})

it.skipIf(missing.length > 0)('is content with a build of which no crash is known', async () => {
  const { elf, buildId } = givenBuild('be'.repeat(20))

  const { exitCode, stdout } = await run('crash', 'resolve', '--elf', elf)

  expect([exitCode, stdout]).toEqual([
    EXIT.ok,
    `Build ${buildId}: no device has told a crash of it, so there is nothing to look up\n`,
  ])
})

it('says in words that a file is no ELF file, or has no build id', async () => {
  const text = givenFile('notes.txt', 'x'.repeat(100))
  const resolve = (...more: string[]) => run('crash', 'resolve', '--elf', text, ...more)

  const refused = await resolve()
  const unknown = await resolve('--build-id', 'nobody-has-this')

  expect(refused.stderr).toBe(`Cannot use ${text}: it is not an ELF file.\n`)
  expect(unknown.stderr).toContain('nobody-has-this')
  expect([refused.exitCode, unknown.exitCode]).toEqual([EXIT.error, EXIT.error])
})

import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { affectedIn, givenAdvisory } from '../../server/test/given-knowledge.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenSbom, runPlimsoll, startService } from './service.ts'

const VERSION = ['--firmware', 'gateway', '--version', '1.0']
const CPE = ['--add-cpe', 'cpe:2.3:a:acme:thing:*:*:*:*:*:*:*:*']

let service: Awaited<ReturnType<typeof startService>>
let environment: Environment
beforeAll(async () => {
  service = await startService({ withWorker: true })
  await givenAdvisory(service.ctx.db, {
    id: 'CVE-2026-30001',
    severity: 'Critical',
    affected: [affectedIn('cpe:acme:thing', [{ fixed: '2.0' }])],
  })
  environment = service.environmentOf(await service.givenWorkspace())
})

async function run(...args: string[]) {
  return runPlimsoll(environment, args)
}

async function upload(name: string, version: string) {
  const file = givenSbom(`${version}.json`, [{ name, version }])
  return run('sbom', 'upload', file, ...VERSION, '--create', '--wait')
}

describe('plimsoll override', () => {
  it('shows what creating it would change, counts first', async () => {
    await upload('tree', 'a1a1')

    const create = ['override', 'create', '--name', 'tree', ...CPE, '--set-version', '1.4']
    const { exitCode, stdout } = await run(...create, '--dry-run')

    expect(exitCode).toBe(EXIT.ok)
    expect(stdout).toMatch(
      /^It would apply to 1 component in 1 firmware version\.\nFindings: 1 would appear, 0 disappear, 0 change their confidence, 0 stay\.\nIt would hold for the declared versions a1a1, not for others\.\n\nPACKAGE /,
    )
    expect(stdout).toMatch(/\ntree +a1a1 +1 +1 .+cpe:acme:thing 1\.4\n/)
    expect(stdout).toMatch(/\nCritical .*CVE-2026-30001 +tree +a1a1 +High +gateway 1\.0\n/)
    expect(stdout).toMatch(/\nDry run: nothing was changed\.\n$/)
    expect((await run('override', 'list')).stdout).toBe('No overrides.\n')
    const { stdout: json } = await run(...create, '--dry-run', '--json')
    expect(JSON.parse(json)).toMatchObject({ findingCounts: { appearing: 1 } })
  })

  it('is created, listed and deleted', async () => {
    const ignoring = ['--purl', 'pkg:generic/own', '--ignore', '--reason', 'Our own code']
    const { stdout: json } = await run('override', 'create', ...ignoring, '--json')
    const { id } = JSON.parse(json) as { id: string }

    const listed = await run('override', 'list')
    const removed = await run('override', 'delete', id, '--yes')

    expect(listed.stdout).toMatch(
      /\npkg:generic\/own +ignored: Our own code +0 +any version .+[0-9a-f-]{36}\n\n1 override\n$/,
    )
    expect(removed.stdout).toBe(`${id}: deleted\n`)
    expect((await run('override', 'list')).stdout).toBe('No overrides.\n')
  })

  it('shows what replacing and deleting it would change', async () => {
    await upload('trunk', 'b2b2')
    const stating = ['--name', 'trunk', ...CPE, '--set-version']
    const { stdout: json } = await run('override', 'create', ...stating, '1.4', '--json')
    const { id } = JSON.parse(json) as { id: string }
    while (!(await run('findings', 'list', ...VERSION)).stdout.includes('trunk')) await delay(50)

    const update = await run('override', 'update', id, ...stating, '2.4', '--dry-run')
    const deletion = await run('override', 'delete', id, '--dry-run')
    const updated = await run('override', 'update', id, ...stating, '2.4')

    expect(update.stdout).toMatch(
      /^It would apply to 1 component in 1 firmware version\.\nFindings: 0 would appear, 1 disappear, /,
    )
    expect(deletion.stdout).toMatch(
      /^It would apply to 0 components, and no longer to 1, in 1 firmware version\.\nFindings: 0 would appear, 1 disappear, /,
    )
    expect(deletion.stdout).toMatch(/\nDry run: nothing was changed\.\n$/)
    expect(updated.stdout).toBe(`${id}: replaced, for components of trunk\n`)
  })

  it('that begins to meet another version is told of after the upload, in one line', async () => {
    await upload('sources', 'c3c3')
    const create = ['override', 'create', '--name', 'sources', ...CPE, '--set-version', '1.4']
    const { stdout: json } = await run(...create, '--json')
    const { id } = JSON.parse(json) as { id: string }
    while (!(await run('override', 'list')).stdout.includes('c3c3')) await delay(50)

    const { exitCode, stderr } = await upload('sources', 'd4d4')

    expect(exitCode).toBe(EXIT.ok)
    const warning = `Override ${id} (sources) was made for version c3c3 and is not applied to d4d4 (1 component): create an override with --declared-version for each, or replace it by one with --any-version.\n`
    expect(stderr.endsWith(warning)).toBe(true)
    expect((await run('sbom', 'list', ...VERSION)).stderr).toBe(warning)
    expect((await run('override', 'list')).stderr).toBe(warning)
  })

  it('asks which components it is for', async () => {
    const { exitCode, stderr } = await run('override', 'create', '--set-version', '1')

    expect(exitCode).toBe(EXIT.error)
    expect(stderr).toBe('Say which components it is for: --name, --purl or --cpe.\n')
  })
})

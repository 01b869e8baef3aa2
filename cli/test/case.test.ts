/** The main job of Article 14 in the terminal: from a listed vulnerability to reports that are recorded. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startCaseSchedule } from '../../server/src/features/cases/index.ts'
import { importFeeds } from '../../server/src/features/advisories/index.ts'
import { givenFolder, kevCatalogue } from '../../server/test/given-feeds.ts'
import { cpeOf, givenMatchedSbom } from '../../server/test/given-findings.ts'
import { type Fleet, givenFleet } from '../../server/test/given-fleet.ts'
import { affectedIn, givenAdvisory } from '../../server/test/given-knowledge.ts'
import { EXIT } from '../src/exit-codes.ts'
import { type Environment, givenFile, runPlimsoll, startService } from './service.ts'

const CVE = 'CVE-2026-31431'
let service: Awaited<ReturnType<typeof startService>>
let fleet: Fleet
let environment: Environment
let stop: () => Promise<void>

beforeAll(async () => {
  service = await startService({ withWorker: false })
  fleet = await givenFleet(service, 3)
  environment = service.environmentOf(fleet.client)
  const product = `shell-${crypto.randomUUID()}`
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  await givenAdvisory(service.ctx.db, { id: CVE, severity: 'Critical', title: 'Flaw', affected })
  const contents = { '1.0': '1.0', '2.0': '1.1', '3.0': '2.0' }
  for (const [name, version] of Object.entries(contents))
    await givenMatchedSbom(
      service.ctx,
      { workspaceId: fleet.workspaceId, firmwareVersionId: fleet.versions[name] ?? '' },
      [{ packageName: 'busybox', cpes: [cpeOf(product, version)] }],
    )
  // The builder makes all versions at one instant; the fix is later.
  await sql`
    update firmware_versions set created_at = created_at + interval '1 hour'
    where workspace_id = ${fleet.workspaceId} and id = ${fleet.versions['3.0'] ?? ''}`.execute(
    service.ctx.db,
  )
  await fleet.boots('device-000', '1.0')
  await fleet.boots('device-001', '2.0')
})

const run = (...args: string[]) => runPlimsoll(environment, args)
async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr } = await run(...args, '--json')
  expect(stderr).toBe('')
  return JSON.parse(stdout) as T
}
const listed = async () => (await json<{ cases: { id: string }[] }>('case', 'list')).cases

it('goes from a list of exploited vulnerabilities to reports that are recorded', async () => {
  const line = ['--name', 'Edge gateway', '--manufacturer', 'Acme GmbH', '--firmware', 'gateway']
  const where = ['--member-states', 'DE,FR', '--coordinator', 'DE', '--support-ends-in', '2031-12']
  expect((await run('product-line', 'create', ...line, ...where)).stdout).toMatch(
    /^Edge gateway: created/,
  )
  stop = startCaseSchedule(service.ctx)
  expect(await listed()).toEqual([])

  const catalogue = kevCatalogue([CVE], '2026-11-01T00:00:00.000Z')
  await importFeeds(service.ctx, {
    path: givenFolder({ 'known_exploited_vulnerabilities.json': catalogue }),
  })
  // The job looks each half minute.
  await stop()
  stop = startCaseSchedule(service.ctx)
  await expect.poll(listed, { timeout: 60_000 }).toHaveLength(1)
  await stop()

  const proposed = await run('case', 'show', CVE)
  expect(proposed.stdout).toMatch(/State: +Proposed/)
  expect(proposed.stdout).toMatch(/Member States: +DE, FR/)
  expect(proposed.stdout).toMatch(/Devices: +2/)
  expect(proposed.stdout).toMatch(/gateway +1\.0 +1 /)

  expect((await run('case', 'draft', CVE, 'early-warning', '--missing')).stdout).toBe(
    'v26 Aware since (awareSince)\n',
  )
  const aware = await run('case', 'aware', CVE, '--at', '2h')
  expect(aware.stdout).toContain('Next: EarlyWarning, due ')
  expect((await run('case', 'draft', CVE, 'early-warning', '--missing')).stdout).toBe(
    'Nothing is missing.\n',
  )
  const draft = await run('case', 'draft', CVE, 'early-warning')
  expect(draft.stdout).toMatch(
    /5 Member States \[proposed from: product line .*\]\nGermany \(DE\), France \(FR\)/,
  )
  expect(draft.stdout).toMatch(
    /7 Versions \[\d+\/255 characters, proposed from: findings and versions\]\ngateway 1\.0, 2\.0/,
  )
  const wrote = await run('case', 'write', CVE, 'early-warning', 'title', 'Root over the console')
  expect(wrote.stdout).toBe('2 Title: written, 21 of 255 characters\n')
  const submitted = await run('case', 'submit', CVE, 'early-warning', '--reference', 'SRP-1')
  expect(submitted.stdout).toContain('the EarlyWarning is recorded')

  await fleet.deploy('3.0')
  const notification = await run('case', 'draft', CVE, 'notification')
  expect(notification.stdout).toContain('2 Title [21/255 characters]\nRoot over the console')
  expect(notification.stdout).toMatch(
    /gateway 3\.0 to .* since .*: running; 0 of \d devices updated/,
  )
  expect((await run('case', 'draft', CVE, 'notification', '--missing')).stdout).toBe(
    'Nothing is missing.\n',
  )
  expect((await run('case', 'submit', CVE, 'notification')).exitCode).toBe(EXIT.ok)
  const late = await run('case', 'close', CVE)
  expect(late.stderr).toContain('users were informed')
  expect(late.exitCode).toBe(EXIT.error)
  await run('case', 'users-informed', CVE, '--at', '1m', '--text', 'Mail to all customers')
  await run('case', 'measure', CVE, '--at', '1m', '--kind', 'corrective', '--detail', 'Gateway 3.0')
  expect((await run('case', 'submit', CVE, 'final-report')).exitCode).toBe(EXIT.ok)
  expect((await run('case', 'close', CVE)).stdout).toContain('It is Closed.')
  expect((await run('case', 'reopen', CVE, '--reason', 'New')).stdout).toContain('It is Open.')
  expect(await listed()).toHaveLength(1)
})

it('writes what a file says, takes it back, and prints one text to copy', async () => {
  const title = `Case ${crypto.randomUUID()}`
  await run('case', 'create', '--title', title, '--drill')
  const file = givenFile('summary.txt', 'A <b>summary</b>\u001b[31m')

  await run('case', 'write', title, 'early-warning', '3', '--file', file)

  const shown = await run('case', 'draft', title, 'early-warning', '--field', 'summary')
  expect(shown.stdout).toContain('A <b>summary</b>')
  expect(shown.stdout).not.toContain('\u001b')
  const back = await run('case', 'write', title, 'early-warning', 'summary', '--propose')
  expect(back.stdout).toContain('as proposed again')
  const both = await run('case', 'write', title, 'early-warning', 'summary', 'x', '--propose')
  expect([both.exitCode, both.stderr]).toEqual([EXIT.error, expect.stringContaining('--propose')])
  const unknown = await run('case', 'draft', title, 'early-warning', '--field', 'nothing')
  expect(unknown.stderr).toContain('It has: type, title')
})

it('names versions of an incident, removes a line, corrects a fact and dismisses many', async () => {
  const title = `Incident ${crypto.randomUUID()}`
  await run('case', 'create', '--type', 'incident', '--title', title)
  await run('product-line', 'create', '--name', title, '--manufacturer', 'Zeta')
  expect((await run('case', 'add-version', title, 'gateway@1.0')).exitCode).toBe(EXIT.ok)
  expect((await run('case', 'add-line', title, title)).exitCode).toBe(EXIT.ok)
  const removed = await run('case', 'remove-line', title, title, '--reason', 'Another console')
  expect(removed.stdout).toContain('is none of its products')
  await run('case', 'aware', title, '--at', '3h', '--estimate')
  const { facts } = await json<{ facts: { id: string; kind: string }[] }>('case', 'show', title)
  const awareness = facts.find(({ kind }) => kind === 'Awareness')?.id ?? ''
  const corrected = await run('case', 'correct', title, awareness, '--withdraw', '--reason', 'x')
  expect(corrected.stdout).toContain('It is Proposed.')
  const other = `${title} 2`
  await run('case', 'create', '--title', other)
  const many = await run('case', 'dismiss', title, other, '--reason', 'Not ours')
  expect(many.stdout).toBe('2 cases dismissed\n')
})

it('prints examples that it takes, and asks before it deletes a line', async () => {
  const example = await run('product-line', 'create', '--example')
  const file = givenFile('line.json', example.stdout)
  expect((await run('product-line', 'create', '--file', file)).stdout).toMatch(/^Gateway: created/)
  expect((await run('product-line', 'delete', 'Gateway')).stderr).toContain('--yes')
  const changed = await run('product-line', 'update', 'Gateway', '--contact', '')
  expect(changed.stdout).toBe('Gateway: changed\n')
  expect((await run('product-line', 'delete', 'Gateway', '--yes')).stdout).toBe(
    'Gateway: deleted\n',
  )
  const caseFile = givenFile('case.json', (await run('case', 'create', '--example')).stdout)
  const again = await run('case', 'create', '--file', caseFile, '--drill')
  expect(again.stdout).toMatch(/^Remote root over the console: begun/)
})

import { Command } from 'commander'
import { sql } from 'kysely'
import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { givenFleet } from '../../test/given-fleet.ts'
import { givenMember, givenMembership } from '../../test/given-people.ts'
import { listTenantTables } from '../features/workspaces/whole/store.ts'
import { addWorkspaceCommands } from './workspaces.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp()
})

async function run(...args: string[]): Promise<Record<string, unknown>> {
  const printed: Record<string, unknown>[] = []
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  addWorkspaceCommands(program, {
    withContext: (use) => use(test.ctx),
    print: (_json, answer) => printed.push(answer),
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  await program.parseAsync(['workspace', ...args, '--json'], { from: 'user' })
  return printed.pop() ?? {}
}

/** Of each table that has some. */
async function countRows(workspaceId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of await listTenantTables(test.ctx.db)) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} where workspace_id = ${workspaceId}`.execute(
      test.ctx.db,
    )
    const count = rows[0]?.count ?? 0
    if (count > 0) counts[name] = count
  }
  return counts
}

async function givenFull(name: string) {
  const fleet = await givenFleet(test, 2)
  await fleet.boots('device-000', '1.0')
  const { workspaceId } = fleet.client
  await run('rename', workspaceId, name)
  await fleet.client.post('/notification-targets', {
    name: 'Operations',
    type: 'Email',
    state: 'Enabled',
    emailAddresses: ['operations@example.com'],
  })
  await test.ctx.blobs.put(`sboms/${workspaceId}/v/1`, Readable.from([Buffer.from('{}')]))
  const { id, email } = await givenMember(test, workspaceId)
  return { workspaceId, personId: id, email }
}

it('lists and renames, and has each name once', async () => {
  const { workspaceId } = await givenFull('Pumps')
  const other = await test.givenWorkspace()

  const { workspaces } = await run('list')

  expect(workspaces).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: workspaceId, name: 'Pumps', devices: 2, members: 2 }),
    ]),
  )
  await expect(run('rename', other.workspaceId, 'Pumps')).rejects.toThrow(workspaceId)
})

it('writes everything of a workspace for its people, and no secret', async () => {
  const { workspaceId, email } = await givenFull('Valves')
  const folder = join(mkdtempSync(join(tmpdir(), 'plimsoll-export-')), 'valves')

  const { rows, files } = await run('export', 'Valves', folder)

  const { people: _people, workspaces: _workspaces, ...counts } = rows as Record<string, number>
  const filled = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
  expect(filled).toEqual(await countRows(workspaceId))
  expect(files).toBe(1)
  const text = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('')
  expect(text).toContain(email)
  expect(text).not.toMatch(/"(?:key_hash|password_hash|secret)"/)
  expect(readFileSync(join(folder, `files/sboms/${workspaceId}/v/1`), 'utf8')).toBe('{}')
  expect(statSync(join(folder, 'api_keys.jsonl')).mode & 0o077).toBe(0)
  await expect(run('export', 'Valves', folder)).rejects.toThrow('is not empty')
})

it('deletes one with everything in it, after its name was typed, and nothing of others', async () => {
  const kept = await givenFull('Kept')
  const gone = await givenFull('Gone')
  const both = await givenMember(test, gone.workspaceId)
  await givenMembership(test, kept.workspaceId, { id: both.id, role: 'Viewer' })
  const before = await countRows(kept.workspaceId)
  // As after a restore, keys are checked in another order than that of the migrations.
  await test.ctx.pool.query(
    'alter table notification_targets drop constraint notification_targets_workspace_id_fkey',
  )
  await test.ctx.pool.query(
    `alter table notification_targets add constraint notification_targets_workspace_id_fkey
     foreign key (workspace_id) references workspaces (id) on delete cascade`,
  )

  await expect(run('delete', 'Gone')).rejects.toThrow('--name')
  await expect(run('delete', 'Gone', '--name', 'gone')).rejects.toThrow('nothing was deleted')
  const answer = await run('delete', 'Gone', '--name', 'Gone')

  expect(answer).toMatchObject({ name: 'Gone', files: 1 })
  expect(await countRows(gone.workspaceId)).toEqual({})
  expect(await countRows(kept.workspaceId)).toEqual(before)
  const people = await test.ctx.db.selectFrom('people').select('id').execute()
  const ids = people.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining([kept.personId, both.id]))
  expect(ids).not.toContain(gone.personId)
  const path = test.ctx.blobs.localPath(`sboms/${gone.workspaceId}/v/1`)
  expect(path === undefined || !existsSync(path)).toBe(true)
  await expect(run('delete', 'Gone', '--name', 'Gone')).rejects.toThrow('Gone')
})

it('deletes what the law keeps only where that is said, and tells until when before', async () => {
  const fleet = await givenFleet(test, 1)
  const { workspaceId } = fleet.client
  await run('rename', workspaceId, 'Gateways GmbH')
  await fleet.deploy('1.0')
  const shown = await fleet.client.get(`/firmware-versions/${fleet.versions['1.0'] ?? ''}`)
  const { firmware } = shown.json<{ firmware: { id: string } }>()
  const line = { name: 'Edge', manufacturer: 'Acme', firmwareIds: [firmware.id] }
  expect((await fleet.client.post('/product-lines', line)).statusCode).toBe(201)
  const before = await countRows(workspaceId)
  const remove = (...more: string[]) =>
    run('delete', workspaceId, '--name', 'Gateways GmbH', ...more)
  const until = `${new Date().getUTCFullYear() + 10}-`

  await expect(remove()).rejects.toThrow(
    new RegExp(`1 firmware version of product lines.*1\\.0 until ${until}.*--retained`),
  )
  expect(await countRows(workspaceId)).toEqual(before)
  await expect(run('delete', workspaceId, '--name', 'Gate', '--retained')).rejects.toThrow(
    'nothing was deleted',
  )
  expect(await remove('--retained')).toMatchObject({ workspaceId })

  expect(await countRows(workspaceId)).toEqual({})
})

it('lists who is near a limit, most first, and changes nothing without a name', async () => {
  const given = async (used: number) => {
    const { workspaceId } = await test.givenWorkspace()
    await sql`
      insert into workspace_usage (workspace_id, quota, used)
      values (${workspaceId}, 'devices', ${used})`.execute(test.ctx.db)
    return workspaceId
  }
  const [half, most, nearly] = [await given(500_000), await given(1_200_000), await given(800_000)]
  const list = async (...options: string[]) => {
    const { near } = await run('limits', ...options)
    return (near as { workspaceId: string; share: number }[]).map(
      (one) => [one.workspaceId, one.share] as const,
    )
  }

  expect(await list()).toEqual([
    [most, 1.2],
    [nearly, 0.8],
  ])
  expect(await list('--from', '50')).toContainEqual([half, 0.5])
  await expect(run('limits', '--devices', '5')).rejects.toThrow('Name the workspace')
})

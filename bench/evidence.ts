/**
 * Measures the memory of the service while it writes evidence bundles: of 100,000 findings, and of four times as many, through the
 * real service (docs/design/budgets.md): `node bench/evidence.ts [findings]`, 100,000 by default. Each bundle is written by a service that has just started.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import type { Db } from '../server/src/platform/db/connect.ts'
import { newId } from '../server/src/platform/ids.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { keepFigure } from './figures.ts'

const OF_VERSION = 5_000
const TIMES_LARGER = 4
/** How much more memory the service may take while it writes a bundle, however many findings that has. */
const MOST_MEBIBYTES = 100

const { findings } = readBenchArguments({ findings: countArgument(100_000) })
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bench-evidence-'))

/** Packages with one match each, which all versions hold. */
async function insertKnowledge(db: Db): Promise<void> {
  await sql`
    insert into vulnerabilities (id, name, severity, primary_score, updated_at)
    select 'CVE-2024-' || n, 'Flaw ' || n, 'High', 8, now() from generate_series(1, ${OF_VERSION}::int) as n`.execute(
    db,
  )
  await sql`
    insert into packages (id, identity, created_at, matched_at)
    select md5('package ' || n)::uuid, '{"pairs": [{"key": "cpe:acme:part"}]}', now(), now()
    from generate_series(1, ${OF_VERSION}::int) as n`.execute(db)
  await sql`
    insert into package_matches (package_id, vulnerability_id, since, cause, confidence, severity, score)
    select md5('package ' || n)::uuid, 'CVE-2024-' || n, now(), 'PackageMatched', 'High', 'High', 8
    from generate_series(1, ${OF_VERSION}::int) as n`.execute(db)
}

/** A product line whose versions have so many findings together; every tenth is decided, with a reason. */
async function insertLine(db: Db, workspaceId: string, count: number): Promise<string> {
  const [lineId, firmwareId] = [newId(), newId()]
  const name = `Line of ${count} findings`
  const at = new Date()
  const times = { createdAt: at, updatedAt: at }
  await db
    .insertInto('firmwares')
    .values({ workspaceId, id: firmwareId, slug: `of-${count}`, name, ...times })
    .execute()
  await db
    .insertInto('productLines')
    .values({
      workspaceId,
      id: lineId,
      name,
      manufacturer: 'Bench',
      role: 'Manufacturer',
      productClass: 'Default',
      memberStates: [],
      timeZone: 'UTC',
      ...times,
    })
    .execute()
  await db
    .insertInto('productLineFirmwares')
    .values({ workspaceId, firmwareId, productLineId: lineId })
    .execute()
  await sql`
    insert into firmware_versions (workspace_id, id, firmware_id, name, created_at)
    select ${workspaceId}, gen_random_uuid(), ${firmwareId}, '1.' || n, now()
    from generate_series(1, ${Math.ceil(count / OF_VERSION)}::int) as n`.execute(db)
  await sql`
    insert into firmware_version_packages
      (workspace_id, firmware_version_id, package_id, since, cause, component_name, component_version, component_purl)
    select ${workspaceId}, version.id, md5('package ' || n)::uuid, now(), 'SbomParsed', 'part-' || n, '1.0', 'pkg:generic/acme/part-' || n || '@1.0'
    from firmware_versions as version cross join generate_series(1, ${OF_VERSION}::int) as n
    where version.workspace_id = ${workspaceId} and version.firmware_id = ${firmwareId}`.execute(db)
  await sql`
    insert into finding_timeline (workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at,
      created_by_email, source, assessment, ignored, justification, detail)
    select ${workspaceId}, version.id, md5('package ' || n)::uuid, 'CVE-2024-' || n, gen_random_uuid(), 'Assessment', now(),
      'ann@example.com', 'User', 'NotAffected', false, 'code_not_reachable', repeat('No caller reaches it. ', 10)
    from firmware_versions as version cross join generate_series(1, ${OF_VERSION}::int, 10) as n
    where version.workspace_id = ${workspaceId} and version.firmware_id = ${firmwareId}`.execute(db)
  return lineId
}

async function prepare() {
  const { ctx, close } = await openBenchContext(folder)
  const workspace = await bootstrapWorkspace(ctx, {
    name: 'Bench',
    ownerEmail: 'bench@example.com',
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  await insertKnowledge(ctx.db)
  const { workspaceId } = workspace
  const lines = {
    small: await insertLine(ctx.db, workspaceId, findings),
    large: await insertLine(ctx.db, workspaceId, findings * TIMES_LARGER),
  }
  await sql`analyze`.execute(ctx.db)
  await close()
  return { ...workspace, lines }
}

/** Resident memory of the process and of those that it started, but for the database. */
function readMebibytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  const own = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
  const ofChildren = children
    .filter(
      (child) => child !== '' && readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('node'),
    )
    .map((child) => readMebibytes(Number(child)))
  return ofChildren.reduce((sum, one) => sum + one, own)
}

async function measure(lineId: string, given: Awaited<ReturnType<typeof prepare>>) {
  const service = await startServiceProcess({
    dataDir: join(folder, 'data'),
    port: await freePort(),
    managementPort: await freePort(),
  })
  const { pid = 0 } = service.child
  const ask = async (path: string) => {
    const answer = await fetch(`${service.url}/workspaces/${given.workspaceId}${path}`, {
      headers: { authorization: `Bearer ${given.apiKey}` },
    })
    if (!answer.ok) throw new Error(await answer.text())
    let bytes = 0
    for await (const chunk of answer.body ?? []) bytes += (chunk as Uint8Array).byteLength
    return bytes
  }
  await ask('/product-lines')
  await delay(5_000)
  const before = readMebibytes(pid)
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, readMebibytes(pid))
  }, 50)
  const beganAt = performance.now()
  const bytes = await ask(`/product-lines/${lineId}/evidence`)
  const seconds = (performance.now() - beganAt) / 1_000
  clearInterval(timer)
  await endProcess(service.child, 'SIGTERM')
  return { bytes, seconds, before, more: most - before }
}

try {
  const given = await prepare()
  const small = await measure(given.lines.small, given)
  const large = await measure(given.lines.large, given)
  const tell = (count: number, one: typeof small) => ({
    findings: count,
    bundle: `${(one.bytes / 2 ** 20).toFixed(0)} MiB`,
    seconds: one.seconds.toFixed(1),
    before: `${one.before.toFixed(0)} MiB`,
    more: `+${one.more.toFixed(0)} MiB`,
  })
  console.table([tell(findings, small), tell(findings * TIMES_LARGER, large)])
  for (const [what, { more: value }] of Object.entries({ small, large }))
    keepFigure({ what: `memory of a ${what} bundle`, value, unit: 'MiB', most: MOST_MEBIBYTES })
  console.log(`Yardstick of both: +${MOST_MEBIBYTES} MiB`)
} finally {
  rmSync(folder, { recursive: true })
}

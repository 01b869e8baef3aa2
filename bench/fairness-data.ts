/** What the flooding workspace of `bench/fairness.ts` has. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Db } from '../server/src/platform/db/connect.ts'
import { keepComponentVulnerabilities } from '../server/test/given-many-findings.ts'
import { DOWNLOADING } from './fairness-downloads.ts'
import type { Target } from './fairness-floods.ts'

/** Findings, metrics and log lines of the one that floods. */
export async function givenMuch(
  db: Db,
  { workspaceId, firmwareVersionId }: Pick<Target, 'workspaceId' | 'firmwareVersionId'>,
): Promise<void> {
  const id = sql`'CVE-2020-' || n`
  const numbers = sql`generate_series(1, 30000) as n`
  const packageId = sql`md5('much ' || n % 1000)::uuid`
  await sql`
    insert into vulnerabilities (id, name, severity, primary_score, is_known_exploit, updated_at)
    select ${id}, 'Overflow ' || n, 'High', n % 10, false, now() from ${numbers}`.execute(db)
  await sql`
    insert into packages (id, identity, created_at, matched_at)
    select distinct ${packageId}, '{"pairs": []}'::jsonb, now(), now() from ${numbers}`.execute(db)
  await sql`
    insert into package_matches (package_id, vulnerability_id, since, cause, confidence, severity, score)
    select ${packageId}, ${id}, now(), 'PackageMatched', 'High', 'High', 5 from ${numbers}`.execute(
    db,
  )
  await sql`
    insert into firmware_version_packages
      (workspace_id, firmware_version_id, package_id, since, cause, component_name, component_version)
    select distinct ${workspaceId}::uuid, ${firmwareVersionId}::uuid, ${packageId}, now(), 'SbomParsed', 'part', '1'
    from ${numbers}`.execute(db)
  await sql`
    insert into workspace_packages
      (workspace_id, package_id, version_count, held_since, open_since, component_name, component_version)
    select workspace_id, package_id, 1, now(), now(), component_name, component_version
    from firmware_version_packages where workspace_id = ${workspaceId}`.execute(db)
  await sql`
    insert into workspace_matches
      (workspace_id, vulnerability_id, package_id, detected_at, states, component_name, severity_rank, is_exploited)
    select ${workspaceId}, vulnerability_id, package_id, now(), 1, 'part',
      array_position('{Unknown,None,Low,Medium,High,Critical}', severity), false
    from package_matches`.execute(db)
  await keepComponentVulnerabilities(db, workspaceId)
  await sql`
    insert into devices (workspace_id, id, created_at, effective_log_severity)
    select ${workspaceId}, 'd' || n, now(), 'Info' from generate_series(0, 499) as n`.execute(db)
  await sql`
    insert into device_logs (workspace_id, device_id, id, time, severity, message, labels)
    select ${workspaceId}, 'd' || n % 500, gen_random_uuid(), now() - n * interval '10 ms', 'Info',
      'line ' || md5(n::text), '{}'
    from generate_series(1, 200000) as n`.execute(db)
  await sql`
    with series as (
      insert into metric_series (workspace_id, device_id, name, labels, label_names, digest, created_at, seen_at)
      select ${workspaceId}, 'd' || n, 'temperature', '{}', '{}', sha256(('d' || n)::bytea), now(), now()
      from generate_series(0, 499) as n returning id)
    insert into metric_points (workspace_id, series_id, time, sum)
    select ${workspaceId}, series.id, now() - n * interval '6 s', n from series, generate_series(1, 500) as n`.execute(
    db,
  )
  await sql`analyze`.execute(db)
}

/** A version with a bundle, and its standing address. */
export async function givenBundle(target: Target): Promise<{ url: string; sizeBytes: number }> {
  const sizeBytes = 8 * 1024 * 1024
  const version = `/firmware-versions/${target.firmwareVersionId}`
  await call(target, 'PUT', `${version}/artifacts/bundle`, randomBytes(sizeBytes))
  const made = await call<{ url: string }>(target, 'POST', `${version}/artifact-addresses`, {
    role: 'bundle',
    days: 1,
  })
  const { pathname, search } = new URL(made.url)
  return { url: `${target.url}${pathname}${search}`, sizeBytes }
}

const IMAGE_BYTES = 64 * 1024 * 1024

/** An image, and as many devices that have been told to install it. */
export async function givenDownloads(db: Db, target: Target): Promise<void> {
  const { workspaceId, firmwareVersionId } = target
  await call(
    target,
    'PUT',
    `/firmware-versions/${firmwareVersionId}/artifact`,
    randomBytes(IMAGE_BYTES),
  )
  await sql`
    insert into devices (workspace_id, id, created_at, effective_log_severity)
    select ${workspaceId}, 'r' || n, now(), 'Info' from generate_series(0, ${DOWNLOADING - 1}) as n`.execute(
    db,
  )
  const { id } = await call<{ id: string }>(target, 'POST', '/deployment-cohorts', { name: 'all' })
  const deviceIds = Array.from({ length: DOWNLOADING }, (_, index) => `r${index}`)
  await call(target, 'PUT', `/deployment-cohorts/${id}/devices`, { deviceIds })
  await call(target, 'POST', `/deployment-cohorts/${id}/deployments`, {
    name: 'all',
    artifacts: [{ firmwareVersionId }],
  })
}

async function call<Answer>(
  { url, workspaceId, apiKey }: Target,
  method: string,
  path: string,
  body: object,
): Promise<Answer> {
  const isFile = Buffer.isBuffer(body)
  const response = await fetch(`${url}/workspaces/${workspaceId}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': isFile ? 'application/octet-stream' : 'application/json',
    },
    body: isFile ? body : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
  return (await response.json()) as Answer
}

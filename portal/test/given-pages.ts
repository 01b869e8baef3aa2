/** A workspace that has something on each page. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { givenMatchedVersion, type PortalWorkspace } from './portal-service.ts'

interface Made {
  id: string
}

/** A workspace that has something on each page; their addresses. */
export async function givenPages(service: PortalWorkspace, hasOpened = false): Promise<string[]> {
  const { ask } = service
  const firmware = await ask<Made>('POST', '/firmwares', { slug: 'gateway', name: 'Gateway' })
  const older = await givenVersion(service, firmware.id, '2.4.0')
  const newer = await givenVersion(service, firmware.id, '2.4.1')
  await ask('POST', '/devices', { id: 'gw-1', tags: ['lab'] })
  const cohort = await ask<Made>('POST', '/deployment-cohorts', {
    name: 'Lab',
    tagRule: { all: ['lab'] },
  })
  const deployment = await ask<Made>('POST', `/deployment-cohorts/${cohort.id}/deployments`, {
    name: 'To 2.4.1',
    artifacts: [{ firmwareVersionId: newer }],
    acknowledgement: { reason: 'A test' },
  })
  await ask('POST', '/webhooks', { name: 'Pager', url: 'https://pager.example/hook' })
  const { findings } = await ask<{
    findings: { cveId: string; firmwareVersions: { findingId: string }[] }[]
  }>('POST', '/vulnerability-findings/list', { filter: {} })
  const cveId = findings[0]?.cveId ?? ''
  const findingId = findings[0]?.firmwareVersions[0]?.findingId ?? ''
  const { entries } = await ask<{ entries: Made[] }>('GET', '/audit-log?limit=1')
  const { components } = await ask<{ components: Made[] }>('POST', '/components/list', {
    filter: { firmwareVersionIds: [newer] },
  })
  const rule = await ask<Made>('POST', '/alert-rules', {
    name: 'CPU is warm',
    type: 'MetricFixedThreshold',
    evaluationFrequency: '1m',
    condition: { metric: 'heat', operator: 'GreaterThan', threshold: 40 },
  })
  const { line, opened: oneCase } = await givenCase(service, firmware.id)
  const advisory = await ask<Made>('POST', '/security-advisories', { vulnerabilityId: cveId })
  const buyer = await ask<Made>('POST', '/customers', { name: 'Kraftwerk Nord', tag: 'nord' })
  await ask('POST', `/customers/${buyer.id}/links`, { name: 'Security desk' })
  await ask('POST', '/standing-addresses', {
    name: 'For everybody',
    firmwareId: firmware.id,
    documents: ['Vex', 'Support'],
    isPublic: true,
  })
  const report = await givenReport(service)
  await givenProofs(service, newer)
  const crash = await givenCrash(service, { firmwareId: firmware.id, versionId: newer })
  const asOf = new Date().toISOString()
  const tabs = [
    'components',
    'support',
    'licences',
    'sboms',
    'artifacts',
    'crashes',
    'documents',
    `compare&base=${older}`,
  ]
  const opened = [
    `/findings/${findingId}?asOf=${asOf}`,
    `/versions/${newer}?asOf=${asOf}`,
    `/versions/${newer}?asOf=${asOf}&tab=sboms`,
    `/versions/${newer}?tab=components&component=${components[0]?.id ?? ''}&cve=${cveId}`,
    '/settings/audit-log',
    `/settings/audit-log?at=${entries[0]?.id ?? ''}`,
    '/alerts?tab=rules',
    `/alerts/rules/${rule.id}`,
    `/alerts/incidents/${await givenIncident(service, rule.id)}`,
  ]
  return [
    '',
    '/findings',
    '/findings?group=component',
    '/standing-decisions',
    '/proposals',
    `/findings/${findingId}`,
    `/vulnerabilities/${cveId}`,
    '/cases',
    `/cases/${oneCase}`,
    `/cases/${oneCase}/drafts/Notification`,
    '/advisories',
    `/advisories/${advisory.id}`,
    '/customers',
    `/customers/${buyer.id}`,
    '/disclosure-reports',
    `/disclosure-reports/${report}`,
    '/obligations',
    '/product-lines',
    `/product-lines/${line}`,
    '/firmware',
    `/firmware/${firmware.id}`,
    `/versions/${newer}`,
    ...tabs.map((tab) => `/versions/${newer}?tab=${tab}`),
    '/devices',
    ...['runs', 'updates', 'configuration', 'metrics', 'logs', 'crashes', 'registration'].map(
      (tab) => `/devices/gw-1?tab=${tab}`,
    ),
    '/crashes',
    `/crashes/${crash}`,
    '/exposure',
    '/deployments',
    `/deployments/${cohort.id}`,
    `/deployments/${cohort.id}/${deployment.id}`,
    `/deployments/new?cohort=${cohort.id}&version=${newer}`,
    '/alerts?tab=targets',
    '/alerts?tab=deliveries',
    '/settings/workspace',
    '/settings/members',
    '/settings/api-keys',
    '/settings/trusted-keys',
    '/settings/sources',
    '/settings/ssvc',
    '/settings/owners',
    '/settings/suppliers',
    '/settings/advisories',
    '/you',
    ...(hasOpened ? opened : []),
  ]
}

/** Somebody outside has sent it by the public form. */
async function givenReport({ url, workspaceId, ask }: PortalWorkspace): Promise<string> {
  await ask('PUT', '/disclosure-policy', { isPublic: true })
  const body = new URLSearchParams({ title: 'Root over the console', text: 'Hold the button.' })
  const address = `${url}/public/${workspaceId}/report`
  const { status } = await fetch(address, { method: 'POST', body, redirect: 'manual' })
  expect(status).toBe(303)
  const { reports } = await ask<{ reports: Made[] }>('GET', '/disclosure-reports')
  return reports[0]?.id ?? ''
}

/** Its clocks run, and its early warning is submitted. */
async function givenCase({ ask }: PortalWorkspace, firmwareId: string) {
  const line = await ask<Made>('POST', '/product-lines', {
    name: 'Harbour gateway',
    manufacturer: 'Acme',
    timeZone: 'Europe/Berlin',
    memberStates: ['DE'],
    firmwareIds: [firmwareId],
  })
  const opened = await ask<Made>('POST', '/cases', {
    type: 'Vulnerability',
    title: 'Remote root over the console',
    productLineIds: [line.id],
  })
  const now = new Date().toISOString()
  await ask('POST', `/cases/${opened.id}/awareness`, { awareAt: now })
  await ask('POST', `/cases/${opened.id}/reports`, {
    stage: 'EarlyWarning',
    submittedAt: now,
    text: '1 Type: vulnerability',
  })
  return { line: line.id, opened: opened.id }
}

/** Firing on the device. */
async function givenIncident({ write, workspaceId }: PortalWorkspace, ruleId: string) {
  const id = '00000000-0000-7000-8000-000000000099'
  await write(
    `with made as (
      insert into alert_incidents (workspace_id, id, rule_id, rule_name, rule_type, condition, began_at)
      select workspace_id, $3, id, name, type, condition, now() - interval '10 minutes' from alert_rules
      where workspace_id = $1 and id = $2 returning *)
    insert into alert_series (workspace_id, rule_id, series, label, since, value, incident_id)
    select workspace_id, rule_id, 'gw-1', 'gw-1', began_at, 42, id from made`,
    [workspaceId, ruleId, id],
  )
  return id
}

/** What is stated and signed of the files of a version, by nobody whom the workspace trusts, and an address of one. */
async function givenProofs({ ask }: PortalWorkspace, versionId: string): Promise<void> {
  const version = `/firmware-versions/${versionId}`
  const sha256 = 'a'.repeat(64)
  await ask('POST', `${version}/provenance-statements`, {
    fileName: 'gateway.intoto.json',
    statement: JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [{ name: 'gateway.bin', digest: { sha256 } }],
      predicateType: 'https://slsa.dev/provenance/v1',
      predicate: {
        buildDefinition: { buildType: 'https://example.com/yocto' },
        runDetails: { builder: { id: 'https://ci.example.com' } },
      },
    }),
  })
  const signature = Buffer.alloc(64, 7).toString('base64')
  await ask('POST', `${version}/artifact/signatures`, { fileName: 'gateway.bin.sig', signature })
  const { sboms } = await ask<{ sboms: Made[] }>('GET', `${version}/sboms`)
  const beside = `/sboms/${sboms[0]?.id ?? ''}/signatures`
  await ask('POST', beside, { fileName: 'a.json.sig', signature })
  await ask('POST', `${version}/artifact-addresses`, { role: 'chunks', days: 365 })
  await ask('POST', '/trusted-keys', { name: 'Release key', key: '1f'.repeat(32) })
}

/** One frame has a line, the other none. */
async function givenCrash(
  { write, workspaceId }: PortalWorkspace,
  { firmwareId, versionId }: { firmwareId: string; versionId: string },
) {
  const id = '00000000-0000-7000-8000-000000000098'
  const frames = [
    { kind: 'ProgramCounter', address: '0x800abcd', lookup: '0x800abcd' },
    { kind: 'ReturnAddress', address: '0x8001235', lookup: '0x8001233' },
  ]
  const line = [{ function: 'poll', file: 'src/modem.c', line: 118 }]
  await write(
    `with grouped as (
      insert into crash_groups (workspace_id, id, firmware_id, signature, reason, frames, build_id, created_at)
      values ($1, $2, $3, 'a', 'watchdog', '{0x800abcd,0x8001233}', '4be1d0a7', now())),
    stacked as (
      insert into crash_stacks (workspace_id, id, signature, firmware_id, reason, build_id, addresses, group_id)
      values ($1, $2, 'a', $3, 'watchdog', '4be1d0a7', '{0x800abcd,0x8001233}', $2)),
    counted as (
      insert into crash_versions (workspace_id, stack_id, firmware_version_id, crash_count, first_seen_at, last_seen_at, first_received_at)
      values ($1, $2, $4, 3, now() - interval '2 days', now() - interval '1 hour', now() - interval '2 days')),
    days as (
      insert into crash_counts (workspace_id, stack_id, firmware_version_id, device_id, day, crash_count, last_at)
      values ($1, $2, $4, 'gw-1', current_date, 3, now() - interval '1 hour')),
    totals as (
      insert into crash_group_totals (workspace_id, group_id, crash_count, device_count, first_seen_at, last_seen_at)
      values ($1, $2, 3, 1, now() - interval '2 days', now() - interval '1 hour')),
    group_days as (
      insert into crash_group_days (workspace_id, group_id, day, crash_count, device_count)
      values ($1, $2, current_date, 3, 1)),
    built as (
      insert into crash_builds (workspace_id, build_id, created_at, lines_at) values ($1, '4be1d0a7', now(), now())),
    lines as (
      insert into crash_lines (workspace_id, build_id, address, frames) values ($1, '4be1d0a7', '0x800abcd', $6))
    insert into crash_reports (workspace_id, id, stack_id, device_id, time, firmware_version_id, build_id, run_id, thread, frames)
    values ($1, $2, $2, 'gw-1', now() - interval '1 hour', $4, '4be1d0a7', 'boot-7', 'modem', $5)`,
    [workspaceId, id, firmwareId, versionId, JSON.stringify(frames), JSON.stringify(line)],
  )
  return id
}

async function givenVersion(service: PortalWorkspace, firmwareId: string, name: string) {
  const id = await givenMatchedVersion(service, firmwareId, { name })
  const path = `/firmware-versions/${id}/artifact?fileName=gateway.bin`
  await service.ask('PUT', path, Buffer.from(name))
  return id
}

/** What only people make: an invitation, keys. */
export async function givenPeople(
  page: Page,
  { url, workspaceId }: PortalWorkspace,
): Promise<void> {
  const make = async (path: string, data: object) => {
    const headers = { origin: url }
    const answer = await page.request.post(`${url}/workspaces/${workspaceId}${path}`, {
      data,
      headers,
    })
    expect([path, answer.status()]).toEqual([path, 201])
  }
  await make('/invitations', { email: 'ben@example.com', role: 'Viewer', send: false })
  await make('/api-keys', { name: 'Nightly build', scopes: ['Firmware: read'] })
  await make('/trusted-keys', { name: 'Release key 2026', key: 'ab'.repeat(32) })
  await make('/device-keys', { name: 'Gateways' })
}

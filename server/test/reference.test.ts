/**
 * The guides' tables of reference are what the code has: `npx vitest run server/test/reference.test.ts -u` writes them anew.
 */
import { resolve } from 'node:path'
import Fastify from 'fastify'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { writeTable } from '../../tools/docs/table.ts'
import { describeApi } from '../src/api.ts'
import { readConfigFrom } from '../src/config/config.ts'
import { SettingsReader } from '../src/config/reader.ts'
import { SETTING_DESCRIPTIONS } from '../src/config/setting-descriptions.ts'
import { ROLE_MEANINGS } from '../src/features/auth/roles.ts'
import { SCOPES } from '../src/features/auth/scopes.ts'
import { createMqttMetrics } from '../src/features/mqtt/metrics.ts'
import { installRequestMetrics } from '../src/platform/http/request-metrics.ts'
import { measureAttempts } from '../src/platform/jobs/job-metrics.ts'
import { buildManagement } from '../src/platform/management.ts'
import { listExtras } from '../src/service.ts'
import { sharedTestApp } from './app.ts'

const GENERATED = 'The table is written from the code.'
const fileOf = (name: string) => resolve(import.meta.dirname, `../../docs/guide/${name}.md`)
const writePage = (...blocks: readonly string[]) => `${blocks.join('\n\n')}\n`
const asCode = (text: string) => `\`${text}\``

/** A provider has settings of its own. */
const PROVIDER = {
  PLIMSOLL_OIDC_PROVIDERS: 'id',
  PLIMSOLL_OIDC_ID_ISSUER: 'https://id.example',
  PLIMSOLL_OIDC_ID_CLIENT_ID: 'plimsoll',
}
/** What starts the service reads these. */
const BEFORE_START = ['PLIMSOLL_ENV_FILE', 'PLIMSOLL_NODE']

it('lists all settings', async () => {
  const reader = new SettingsReader(PROVIDER, {})
  readConfigFrom(reader)
  const known = [...reader.known].filter((name) => name === name.toUpperCase())
  const sections = SETTING_DESCRIPTIONS.map(({ title, rows }) => ({
    title,
    rows: rows
      .trim()
      .split('\n')
      .map((row) => {
        const [names = '', stated = '', meaning = ''] = row.split('|').map((cell) => cell.trim())
        return { names: names.split(', '), stated, meaning }
      }),
  }))
  const described = sections.flatMap(({ rows }) => rows.flatMap(({ names }) => names))

  expect(described.map((name) => name.replace('{ID}', 'ID')).toSorted()).toEqual(
    [...known, ...BEFORE_START].toSorted(),
  )
  const tables = sections.flatMap(({ title, rows }) => [
    `## ${title}`,
    writeTable(
      ['setting', 'default', 'meaning'],
      rows.map(({ names, stated, meaning }) => {
        const defaults = names.map((name) => asCode(reader.fallbacks.get(name) ?? '?'))
        return [names.map(asCode).join(', '), stated || [...new Set(defaults)].join(', '), meaning]
      }),
    ),
  ])
  const intro = `How they are set: [Operations](operations.md#settings). ${GENERATED}`
  const text = writePage('# Settings', intro, ...tables)
  expect(text).not.toContain('`?`')
  await expect(text).toMatchFileSnapshot(fileOf('settings'))
})

it('lists all metrics', async () => {
  const { ctx, pools, queue } = await sharedTestApp()
  const registry = new Registry()
  const extras = listExtras({ ctx, contextFor: () => ctx, replica: undefined }, registry)
  buildManagement({ pools, queue }, { started: true, stopping: false }, extras, registry)
  measureAttempts(registry)
  createMqttMetrics(registry, { connections: () => 0, waiting: () => 0 })
  installRequestMetrics(Fastify(), registry)

  const metrics = registry.getMetricsAsArray() as unknown as Metric[]
  const own = metrics.filter(({ name }) => name.startsWith('plimsoll_'))
  const rows = own
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, constructor: { name: type }, labelNames, help }) => [
      asCode(name),
      type.toLowerCase(),
      labelNames.map(asCode).join(', '),
      help,
    ])
  await expect(
    writePage(
      '# Metrics',
      `\`/metrics\` of the [management port](operations.md#health-and-metrics) has these, and those of Node (\`process_…\`, \`nodejs_…\`). [Watching it](watching.md) says what to do about them. ${GENERATED}`,
      'No label holds a device. Gauges of the whole installation (sources, alerts, notifications, jobs, workspaces) are the same at each node: take `max`.',
      writeTable(['metric', 'type', 'labels', 'meaning'], rows),
    ),
  ).toMatchFileSnapshot(fileOf('metrics'))
})

interface Metric {
  name: string
  help: string
  labelNames: readonly string[]
}

it('lists roles, and the operations of each scope', async () => {
  const api = (await describeApi()) as { paths: Record<string, Record<string, Operation>> }
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, description = '' }]) => {
      const [, scope] = /Needs the scope `([^`]+)`/.exec(description) ?? []
      return { scope, cells: [asCode(`${method.toUpperCase()} ${path}`), summary] }
    }),
  )
  const roles = ROLE_MEANINGS.map(({ role, description, scopes }) => [
    asCode(role),
    description,
    scopes.length === SCOPES.length ? 'all' : scopes.map(asCode).join(', '),
  ])
  const tables = SCOPES.flatMap((scope) => {
    const rows = operations.filter((one) => one.scope === scope).map(({ cells }) => cells)
    return rows.length === 0 ? [] : [`## ${scope}`, writeTable(['operation', 'what it does'], rows)]
  })
  await expect(
    writePage(
      '# Roles and scopes',
      `What a [member](people.md#roles) may do, and which scope an [API key](api.md#keys) needs. ${GENERATED}`,
      writeTable(['role', 'what it does', 'scopes'], roles),
      'Operations that are not here need no scope: signing in, and what people change of themselves. Operations on members, invitations and keys are for people who are signed in.',
      ...tables,
    ),
  ).toMatchFileSnapshot(fileOf('scopes'))
})

interface Operation {
  summary: string
  description?: string
}

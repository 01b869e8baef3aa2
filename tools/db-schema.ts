/**
 * Writes what the migrations make: server/src/platform/db/schema.ts, the types of the tables, and
 * server/migrations/schema.json, with which `plimsoll-admin doctor` compares a database.
 */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { GATE_SUPPORT_RULES, RELEASE_GATES } from '../server/src/formats/gate-rules.ts'
import { LOG_SEVERITIES } from '../server/src/formats/device-messages/model.ts'
import { ROLES } from '../server/src/formats/roles.ts'
import { COMPONENT_SCOPES, SBOM_FORMATS } from '../server/src/formats/sboms/model.ts'
import { VEX_FORMATS } from '../server/src/formats/vex/model.ts'
import { SIGN_IN_METHODS } from '../server/src/features/auth/index.ts'
import { UPDATE_STATES } from '../server/src/features/deployments/device-updates/state.ts'
import { TARGET_STATES } from '../server/src/features/notification-targets/store.ts'
import { PARSING_STATES } from '../server/src/features/sboms/schemas.ts'
import { DISPUTED_ORDERS } from '../server/src/features/workspaces/store.ts'
import { ACTOR_TYPES } from '../server/src/platform/actor.ts'
import { createDb, createPool } from '../server/src/platform/db/connect.ts'
import { describeSchema, EXPECTED_SCHEMA } from '../server/src/platform/db/describe-schema.ts'
import { withSchemaDatabase } from './schema-database.ts'

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(' | ')

/** Columns of text that hold one of few values: rows then have the types of the schemas of answers. */
const COLUMN_TYPES = {
  'audit_log.actor_type': oneOf(ACTOR_TYPES),
  'device_updates.state': oneOf(UPDATE_STATES),
  'firmware_lines.gate_support': `${oneOf(GATE_SUPPORT_RULES)} | null`,
  'firmware_lines.release_gate': `${oneOf(RELEASE_GATES)} | null`,
  'invitations.role': oneOf(ROLES),
  'members.role': oneOf(ROLES),
  'notification_targets.state': oneOf(TARGET_STATES),
  'notification_targets.type': oneOf(['Email']),
  'replaced_sboms.format': `${oneOf(SBOM_FORMATS)} | null`,
  'replaced_sboms.parsing_state': oneOf(PARSING_STATES),
  'sbom_components.hashes': 'ColumnType<{ algorithm: string; value: string }[], string, string>',
  'sbom_components.scope': `${oneOf(COMPONENT_SCOPES)} | null`,
  'sboms.format': `${oneOf(SBOM_FORMATS)} | null`,
  'sboms.parsing_state': oneOf(PARSING_STATES),
  'sessions.method': oneOf(SIGN_IN_METHODS),
  'vex_documents.format': oneOf(VEX_FORMATS),
  'webhooks.state': oneOf(TARGET_STATES),
  'workspaces.default_log_severity': `Generated<${oneOf(LOG_SEVERITIES)}>`,
  'workspaces.remediation_target_days':
    'ColumnType<{ Critical: number; High: number; Medium: number; Low: number }, string | undefined, string>',
  'workspaces.disputed_findings': `Generated<${oneOf(DISPUTED_ORDERS)}>`,
  'workspaces.gate_support': `Generated<${oneOf(GATE_SUPPORT_RULES)}>`,
  'workspaces.release_gate': `Generated<${oneOf(RELEASE_GATES)}>`,
}

await withSchemaDatabase(async (connectionString) => {
  const options = ['--camel-case', '--dialect', 'postgres', '--url', connectionString]
  const types = ['--date-parser', 'string', '--type-mapping', '{"int8":"number"}']
  const output = resolve(import.meta.dirname, '../server/src/platform/db/schema.ts')
  const overrides = ['--overrides', JSON.stringify({ columns: COLUMN_TYPES })]
  // What is partitioned is only ever reached as a whole.
  const tables = ['--exclude-pattern', '{schema_migrations,*_default}', '--out-file', output]
  execFileSync('kysely-codegen', [...options, ...types, ...overrides, ...tables], {
    stdio: 'inherit',
  })
  const db = createDb(createPool({ connectionString, poolSize: 1, onError: () => undefined }))
  writeFileSync(EXPECTED_SCHEMA, `${JSON.stringify(await describeSchema(db), null, 2)}\n`)
  await db.destroy()
})

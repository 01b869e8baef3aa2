/** Writes server/src/platform/db/schema.ts: the types of the tables as the migrations make them. */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { withSchemaDatabase } from './schema-database.ts'

await withSchemaDatabase((connectionString) => {
  const options = ['--camel-case', '--dialect', 'postgres', '--url', connectionString]
  const types = ['--date-parser', 'string', '--type-mapping', '{"int8":"number"}']
  const output = resolve(import.meta.dirname, '../server/src/platform/db/schema.ts')
  // What is partitioned is only ever reached as a whole.
  const tables = ['--exclude-pattern', '{schema_migrations,*_default}', '--out-file', output]
  execFileSync('kysely-codegen', [...options, ...types, ...tables], { stdio: 'inherit' })
  return Promise.resolve()
})

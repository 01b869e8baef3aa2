/** Writes server/openapi.json from the route schemas; with --check, fails when the file is stale. */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { format } from 'oxfmt'
import { describeApi } from '../server/src/api.ts'

const file = resolve(import.meta.dirname, '../server/openapi.json')
const { code: text } = await format(file, JSON.stringify(await describeApi()), { printWidth: 100 })
if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('server/openapi.json is stale: run npm run openapi\n')
  process.exitCode = 1
}

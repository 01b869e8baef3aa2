/** Writes docs/asyncapi.json from the schemas of device messages; with --check, fails when the file is stale. */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { format } from 'oxfmt'
import { describeDeviceMessages } from '../server/src/formats/device-messages/asyncapi.ts'

const file = resolve(import.meta.dirname, '../docs/asyncapi.json')
const { code: text } = await format(file, JSON.stringify(describeDeviceMessages()), {
  printWidth: 100,
})
if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/asyncapi.json is stale: run npm run asyncapi\n')
  process.exitCode = 1
}

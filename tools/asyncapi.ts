/** Writes docs/asyncapi.json from the schemas of device messages; with --check, fails when the file is stale. */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { format } from 'prettier'
import { describeDeviceMessages } from '../server/src/formats/device-messages/asyncapi.ts'

const file = resolve(import.meta.dirname, '../docs/asyncapi.json')
const text = await format(JSON.stringify(describeDeviceMessages()), {
  parser: 'json',
  printWidth: 100,
})
if (!process.argv.includes('--check')) writeFileSync(file, text)
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/asyncapi.json is stale: run npm run asyncapi\n')
  process.exitCode = 1
}

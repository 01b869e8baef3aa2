/**
 * Tries odd requests, documents and packets at every door: `npm run fuzz -- --seed 7 --cases 10000 --door rest`. The same
 * seed tries the same cases. `--minutes 30` goes on for so long. Faults become files in server/test/fuzz/cases.
 */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    cases: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '0' },
    door: { type: 'string', default: 'all' },
  },
})
const DOORS = ['all', 'rest', 'sbom', 'vex', 'feeds', 'devices', 'mqtt', 'ddi', 'http']
if (!DOORS.includes(values.door)) throw new Error(`--door is one of ${DOORS.join(', ')}`)
const asked = Object.entries(values).map(([name, value]) => `--${name} ${value}`)
process.stdout.write(`npm run fuzz -- ${asked.join(' ')}\n`)
const { status } = spawnSync(
  'vitest',
  ['run', 'server/test/fuzz/fuzz.test.ts', '--reporter=verbose'],
  {
    stdio: 'inherit',
    cwd: resolve(import.meta.dirname, '..'),
    env: {
      ...process.env,
      FUZZ_SEED: values.seed,
      FUZZ_CASES: values.cases,
      FUZZ_MINUTES: values.minutes,
      FUZZ_DOOR: values.door,
    },
  },
)
process.exitCode = status ?? 1

/**
 * The kill drill: `npm run drill -- --faults 200 --seed 7`. The same seed makes the same faults in the same order, at about
 * the same instants. `--disk FOLDER` names a small file system (such as a tmpfs of 1 GB), which is filled too. With
 * `--minutes` no fault is made after that time; what was made until then is judged. `--scaled` (npm run drill:scaled) kills
 * one after the other of several processes behind HAProxy, and needs `haproxy`, `versitygw` and `mosquitto`. `--delivery`
 * kills service, worker and PostgreSQL around the delivery of webhooks and mails.
 */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    disk: { type: 'string' },
    minutes: { type: 'string' },
    scaled: { type: 'boolean' },
    delivery: { type: 'boolean' },
  },
})
const program = values.scaled ? 'drill:scaled' : 'drill'
const TESTS = { delivery: 'delivery-killed', scaled: 'scaled', survival: 'survival' }
const test = values.delivery ? 'delivery' : values.scaled ? 'scaled' : 'survival'
const how = values.delivery ? ' --delivery' : ''
process.stdout.write(
  `npm run ${program} --${how} --faults ${values.faults} --seed ${values.seed}\n`,
)
const { status } = spawnSync('vitest', ['run', `server/test/${TESTS[test]}.test.ts`], {
  stdio: 'inherit',
  cwd: resolve(import.meta.dirname, '..'),
  env: {
    ...process.env,
    ...(values.scaled && {
      PLIMSOLL_REQUIRE_HAPROXY: '1',
      PLIMSOLL_REQUIRE_S3: '1',
      PLIMSOLL_REQUIRE_SERVICES: '1',
    }),
    ...(values.delivery && { DRILL_DELIVERY: '1' }),
    DRILL_FAULTS: values.faults,
    DRILL_SEED: values.seed,
    ...(values.minutes !== undefined && { DRILL_MINUTES: values.minutes }),
    ...(values.disk !== undefined && { DRILL_DISK: resolve(values.disk) }),
  },
})
process.exitCode = status ?? 1

/** Checks the arrows of boundary-rules.ts, and that no file escaped the check. */
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cruise } from 'dependency-cruiser'
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { boundaries } from './boundary-rules.ts'

const root = resolve(import.meta.dirname, '..')
const FOLDERS = ['server/src', 'cli/src', 'api-client/src']

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  ),
)
const result = await cruise(
  FOLDERS,
  {
    ruleSet: { forbidden: boundaries.forbidden },
    ...boundaries.options,
    baseDir: root,
    validate: true,
  },
  undefined,
  { tsConfig: extractTSConfig(join(root, 'tsconfig.json')) },
)
if (typeof result.output === 'string') throw new Error('dependency-cruiser answered a text')
const { modules, summary } = result.output
const cruised = modules.filter(({ source }) =>
  FOLDERS.some((folder) => source.startsWith(`${folder}/`)),
)
for (const { from, to, rule } of summary.violations)
  process.stderr.write(`${rule.name}: ${from} → ${to}\n`)
if (cruised.length < files.length)
  process.stderr.write(`only ${cruised.length} of ${files.length} modules were seen\n`)
process.stdout.write(
  `boundaries: ${cruised.length} modules, ${summary.violations.length} violations\n`,
)
process.exitCode = summary.violations.length > 0 || cruised.length < files.length ? 1 : 0

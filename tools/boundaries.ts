/** Checks the arrows of boundary-rules.ts, that no file escaped the check, and that ARCHITECTURE.md shows the arrows. */
import { readModules } from './modules.ts'
import { isPictureStale } from './picture.ts'

const { modules, summary, fileCount } = await readModules()
const faults = summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`)
if (modules.length < fileCount) faults.push(`only ${modules.length} of ${fileCount} modules seen`)
if (isPictureStale(modules)) faults.push('ARCHITECTURE.md is stale: run npm run picture')
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.stdout.write(`boundaries: ${modules.length} modules, ${faults.length} faults\n`)
process.exitCode = faults.length > 0 ? 1 : 0

/** Checks the arrows of boundary-rules.ts and that no file escaped the check. */
import { readModules } from './modules.ts'

const { modules, summary, fileCount } = await readModules()
const faults = summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} → ${to}`)
if (modules.length < fileCount) faults.push(`only ${modules.length} of ${fileCount} modules seen`)
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.stdout.write(`boundaries: ${modules.length} modules, ${faults.length} faults\n`)
process.exitCode = faults.length > 0 ? 1 : 0

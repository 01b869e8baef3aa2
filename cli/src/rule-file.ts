/** Reads an alert rule of a file: as it is created, or as the API shows it. */
import type { CreateAlertRuleCommand } from '../../api-client/src/index.ts'
import { readJsonObject } from './json-file.ts'

/** Members that only the service sets. */
const SHOWN_ONLY = new Set([
  'id',
  'createdAt',
  'createdByEmail',
  'updatedAt',
  'hasFiringAlert',
  'incidentId',
  'nextEvaluationAt',
  'evaluations',
  'warnings',
])

export async function readRule(file: string): Promise<CreateAlertRuleCommand> {
  return (await readShownRule(file)).rule
}

/** The service validates the rest. `updatedAt`: of the rule when it was shown, if the file says so. */
export async function readShownRule(file: string) {
  const shown = await readJsonObject(file)
  const written = Object.entries(shown).filter(([name]) => !SHOWN_ONLY.has(name))
  const rule = Object.fromEntries(
    written.map(([name, value]) => [name, name === 'targets' ? listIds(value) : value]),
  ) as CreateAlertRuleCommand
  return { rule, updatedAt: shown['updatedAt'] }
}

function listIds(targets: unknown): unknown {
  if (!Array.isArray(targets)) return targets
  return targets.map((target: unknown) =>
    typeof target === 'object' && target !== null && 'id' in target ? { id: target.id } : target,
  )
}

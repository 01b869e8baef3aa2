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

/** The service validates the rest. */
export async function readRule(file: string): Promise<CreateAlertRuleCommand> {
  const shown = Object.entries(await readJsonObject(file))
  const written = shown.filter(([name]) => !SHOWN_ONLY.has(name))
  return Object.fromEntries(
    written.map(([name, value]) => [name, name === 'targets' ? listIds(value) : value]),
  ) as CreateAlertRuleCommand
}

function listIds(targets: unknown): unknown {
  if (!Array.isArray(targets)) return targets
  return targets.map((target: unknown) =>
    typeof target === 'object' && target !== null && 'id' in target ? { id: target.id } : target,
  )
}

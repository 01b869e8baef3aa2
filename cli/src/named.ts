/** What commands call by its id or its name. */
import { type CliError, usageError } from './failure.ts'
import { withWayToList } from './not-found.ts'
import type { Session } from './session.ts'

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id. An id is not looked up: the service says when it names nothing. */
export async function findIdByName(
  text: string,
  what: string,
  list: () => Promise<readonly { id: string; name: string }[]>,
): Promise<string> {
  if (UUID.test(text)) return text
  return (await findOneByName(text, what, list)).id
}

/** The one of a list that has this id or name. */
export async function findOneByName<One extends { id: string; name: string }>(
  text: string,
  what: string,
  list: () => Promise<readonly One[]>,
): Promise<One> {
  const all = await list()
  const exact = all.filter(({ id, name }) => name === text || id === text)
  const [found, second] = exact.length > 0 ? exact : all.filter(({ name }) => isAlike(name, text))
  if (!found) throw notFound(what, `id or name ${JSON.stringify(text)}`)
  if (second)
    throw usageError(`Several have the name ${JSON.stringify(text)}: give the id of the ${what}.`)
  return found
}

export function notFound(what: string, name: string): CliError {
  return usageError(withWayToList(`There is no ${what} with the ${name}.`, what))
}

/** The service keeps names without spaces around them, and composed (NFC). */
export function isAlike(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => text.normalize('NFC').trim())
  return first === second
}

export async function listCohorts({ client, workspaceId }: Session) {
  const path = '/workspaces/{workspaceId}/deployment-cohorts'
  return (await client.get(path, { params: { workspaceId } })).deploymentCohorts
}

export function findRuleId({ client, workspaceId }: Session, rule: string): Promise<string> {
  return findIdByName(rule, 'alert rule', () =>
    client.get('/workspaces/{workspaceId}/alert-rules', { params: { workspaceId } }),
  )
}

export function findCohortId(session: Session, cohort: string): Promise<string> {
  return findIdByName(cohort, 'cohort', () => listCohorts(session))
}

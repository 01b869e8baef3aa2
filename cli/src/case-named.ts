/** Cases by what people call them. */
import type { Command } from 'commander'
import type { CaseSummary } from '../../api-client/src/index.ts'
import { usageError } from './failure.ts'
import { notFound, UUID } from './named.ts'
import { type ConnectionOptions, openSession, type Session, withConnection } from './session.ts'

export const CASES = '/workspaces/{workspaceId}/cases'
export const CASE = `${CASES}/{caseId}` as const

export function withCase(command: Command): Command {
  return withConnection(command.argument('<case>', 'its id, its CVE id or its title'))
}

/** The session, and the path of the case. */
export async function openCase(text: string, options: ConnectionOptions) {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const caseId = await findCaseId(session, text)
  return { session, client, params: { workspaceId, caseId } }
}

/** A CVE id names the case that is no drill. */
export async function findCaseId({ client, workspaceId }: Session, text: string): Promise<string> {
  if (UUID.test(text)) return text
  const isCve = /^CVE-/i.test(text)
  const { cases } = await client.get(CASES, {
    params: { workspaceId },
    query: isCve ? { cveId: text.toUpperCase() } : {},
  })
  const isNamed = ({ title, isDrill }: CaseSummary) => (isCve ? !isDrill : title === text)
  const [found, second] = cases.filter(isNamed)
  if (!found) throw notFound('case', `id, CVE id or title ${JSON.stringify(text)}`)
  if (second) throw usageError(`Several cases are called ${JSON.stringify(text)}: give the id.`)
  return found.id
}

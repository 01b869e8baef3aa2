/** A file of owner rules that may be older than the workspace: what it names may have gone since. */
import { ApiProblem, type OwnerRules } from '../../api-client/src/index.ts'
import { usageError } from './failure.ts'
import { formatCount, note } from './print.ts'
import type { Session } from './session.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const listObjects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])
const listTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

interface Known {
  found: OwnerRules
  /** undefined: the key may not list them, so the service says what is missing. */
  memberIds: ReadonlySet<string> | undefined
  firmwareIds: ReadonlySet<string> | undefined
}

/** By id, as the file calls them. */
type Missing = Map<string, string>

/** The file as the service takes it: without ids of teams and rules that have gone, which are new ones then. */
export async function renewOwnerFile(
  session: Session,
  stated: Json,
  { found, skipsMissing }: { found: OwnerRules; skipsMissing: boolean },
): Promise<Json> {
  const known = { found, ...(await readKnown(session)) }
  const missing: Missing = new Map([
    ...listObjects(stated['teams']).flatMap((team) => listMissingMembers(team, known)),
    ...listObjects(stated['rules']).flatMap((rule) => listMissingOfRule(rule, known)),
  ])
  if (missing.size > 0 && !skipsMissing) throw refuseMissing(missing)
  const kept = missing.size === 0 ? stated : leaveOut(stated, missing)
  return forgetIds(kept, found)
}

async function readKnown({ client, workspaceId }: Session) {
  const params = { workspaceId }
  const members = await readIfAllowed(() =>
    client.get('/workspaces/{workspaceId}/members', { params }),
  )
  const firmwares = await readIfAllowed(() =>
    client.get('/workspaces/{workspaceId}/firmwares', { params }),
  )
  return {
    memberIds: members && new Set(members.map(({ subjectId }) => subjectId)),
    firmwareIds: firmwares && new Set(firmwares.firmwares.map(({ id }) => id)),
  }
}

async function readIfAllowed<Answer>(read: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiProblem && error.problem.status === 403) return undefined
    throw error
  }
}

const isGone = (known: ReadonlySet<string> | undefined, id: string) => known?.has(id) === false

const nameIn = (list: unknown, id: string, [key, name]: [key: string, name: string]): string => {
  const one = listObjects(list).find((each) => each[key] === id)
  return typeof one?.[name] === 'string' ? one[name] : id
}

const listMissingMembers = ({ memberIds, members }: Json, known: Known) =>
  listTexts(memberIds)
    .filter((id) => isGone(known.memberIds, id))
    .map((id) => [id, nameIn(members, id, ['subjectId', 'email'])] as const)

/** What the rule of now names may stay, although it has gone. */
function listMissingOfRule(rule: Json, { found, memberIds, firmwareIds }: Known) {
  const before = found.rules.find(({ id }) => id === rule['id'])
  const firmwares = listTexts(rule['firmwareIds'])
    .filter((id) => isGone(firmwareIds, id) && before?.firmwareIds.includes(id) !== true)
    .map((id) => [id, nameIn(rule['firmwares'], id, ['id', 'name'])] as const)
  const { memberId, owner } = rule
  if (typeof memberId !== 'string' || before?.memberId === memberId) return firmwares
  if (!isGone(memberIds, memberId)) return firmwares
  return [...firmwares, [memberId, nameIn([owner], memberId, ['id', 'name'])] as const]
}

const refuseMissing = (missing: Missing) =>
  usageError(
    `The file names what has gone from the workspace: ${[...missing.values()].join(', ')}. Take it out of the file, or let --skip-missing leave it out.`,
  )

/** Teams without a member go with their rules. A rule that has lost all its firmwares goes, as it would hold for any. */
function leaveOut(stated: Json, missing: Missing): Json {
  const isThere = (id: string) => !missing.has(id)
  const all = listObjects(stated['teams'])
  const teams = all
    .map((team): Json => ({ ...team, memberIds: listTexts(team['memberIds']).filter(isThere) }))
    .filter(({ memberIds }) => listTexts(memberIds).length > 0)
  const names = new Set(teams.map(({ name }) => name))
  const emptied = new Set(all.map(({ name }) => name).filter((name) => !names.has(name)))
  const given = listObjects(stated['rules'])
  const rules = given
    .filter(({ team }) => !emptied.has(team))
    .filter(({ memberId }) => typeof memberId !== 'string' || isThere(memberId))
    .flatMap((rule): Json[] => {
      const before = listTexts(rule['firmwareIds'])
      const firmwareIds = before.filter(isThere)
      if (before.length > 0 && firmwareIds.length === 0) return []
      return [before.length === 0 ? rule : { ...rule, firmwareIds }]
    })
  const gone = [
    formatCount(all.length - teams.length, 'team'),
    formatCount(given.length - rules.length, 'rule'),
  ]
  note(`Left out: ${[...missing.values()].join(', ')}, and with them ${gone.join(' and ')}.`)
  return { ...stated, teams, rules }
}

function forgetIds(stated: Json, { teams, rules }: OwnerRules): Json {
  const known = new Set([...teams, ...rules].map(({ id }) => id))
  const forget = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.map((one: unknown) => {
          if (!isObject(one) || typeof one['id'] !== 'string' || known.has(one['id'])) return one
          const { id: _, ...rest } = one
          return rest
        })
      : list
  return { ...stated, teams: forget(stated['teams']), rules: forget(stated['rules']) }
}

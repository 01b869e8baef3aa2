/** Which rule gives a finding to whom: the rules as they are stated, and as they hold. */
import { readName } from '../../formats/one-line-name.ts'
import { type FieldError, refuseFaults } from '../../platform/errors.ts'
import type { OwnersCommand } from './schemas.ts'

export interface RuleConditions {
  components: string[]
  purls: string[]
  files: string[]
  firmwareIds: string[]
}

export interface StoredRule extends RuleConditions {
  id: string
  personId: string | null
  teamId: string | null
  personEmail: string | null
}

interface StoredTeam {
  id: string
  name: string
  memberIds: string[]
}

export interface StoredOwners {
  teams: StoredTeam[]
  rules: StoredRule[]
}

/** What the command may name. */
export interface KnownToRules {
  before: StoredOwners
  /** By id, the address. */
  members: ReadonlyMap<string, string>
  firmwareIds: ReadonlySet<string>
  createId: () => string
}

/** More would make one comparison slow: time grows with the length of the text for each. */
const MOST_STARS = 5

/** Reads what was sent, or throws all that the caller has to mend. */
export function readOwners(command: OwnersCommand, known: KnownToRules): StoredOwners {
  const faults: FieldError[] = []
  const teams = readTeams(command.teams, known, faults)
  const rules = command.rules.map((rule, index) => {
    const pointer = `/rules/${index}`
    return readRule(rule, { ...known, teams, pointer }, faults)
  })
  refuseTwice(
    rules.map(({ id }) => id),
    (index) => ({ pointer: `/rules/${index}/id`, detail: 'Another rule has the same id.' }),
    faults,
  )
  refuseFaults(faults, 'owner rules are wrong')
  return { teams, rules }
}

function refuseTwice(
  texts: readonly string[],
  tell: (index: number) => FieldError,
  faults: FieldError[],
): void {
  for (const [index, text] of texts.entries())
    if (texts.indexOf(text) !== index) faults.push(tell(index))
}

function readTeams(
  stated: OwnersCommand['teams'],
  { before, members, createId }: KnownToRules,
  faults: FieldError[],
): StoredTeam[] {
  const teams = stated.map(({ id, ...team }, index) => {
    const pointer = `/teams/${index}`
    const name = readName(team.name, `${pointer}/name`)
    const known = before.teams.find((one) => (id === undefined ? one.name === name : one.id === id))
    if (id !== undefined && !known)
      faults.push({ pointer: `${pointer}/id`, detail: 'There is no team with this id.' })
    for (const [place, memberId] of team.memberIds.entries())
      if (!members.has(memberId.toLowerCase()))
        faults.push({ pointer: `${pointer}/memberIds/${place}`, detail: NO_MEMBER })
    const memberIds = [...new Set(team.memberIds.map((one) => one.toLowerCase()))]
    return { id: known?.id ?? createId(), name, memberIds }
  })
  refuseTwice(
    teams.map(({ name }) => name.toLowerCase()),
    (index) => ({ pointer: `/teams/${index}/name`, detail: 'Another team has this name.' }),
    faults,
  )
  refuseTwice(
    teams.map(({ id }) => id),
    (index) => ({ pointer: `/teams/${index}/id`, detail: 'Another team has the same id.' }),
    faults,
  )
  return teams
}

const NO_MEMBER = 'No member of the workspace has this id.'

type Reading = KnownToRules & { teams: readonly StoredTeam[]; pointer: string }

function readRule(
  stated: OwnersCommand['rules'][number],
  reading: Reading,
  faults: FieldError[],
): StoredRule {
  const { before, createId, pointer } = reading
  const known = before.rules.find(({ id }) => id === stated.id)
  if (stated.id !== undefined && !known)
    faults.push({ pointer: `${pointer}/id`, detail: 'There is no rule with this id.' })
  const { components = [], purls = [], files = [] } = stated
  const patterns = { components, purls, files }
  for (const fault of listPatternFaults(patterns, pointer)) faults.push(fault)
  const ofKnown = { ...reading, known }
  return {
    id: known?.id ?? createId(),
    ...patterns,
    firmwareIds: readFirmwareIds(stated.firmwareIds ?? [], ofKnown, faults),
    ...readOwnerOfRule(stated, ofKnown, faults),
  }
}

const listPatternFaults = (patterns: Record<string, string[]>, pointer: string): FieldError[] =>
  Object.entries(patterns).flatMap(([kind, some]) =>
    some.flatMap((pattern, place) => {
      const detail = findPatternFault(pattern)
      return detail === undefined ? [] : [{ pointer: `${pointer}/${kind}/${place}`, detail }]
    }),
  )

function findPatternFault(pattern: string): string | undefined {
  if (pattern.trim() === '') return 'The pattern is empty; leave the list empty for any text.'
  if (pattern.includes('\0')) return 'The pattern holds a character that no text has.'
  const stars = pattern.split(/\*+/).length - 1
  return stars > MOST_STARS ? `At most ${MOST_STARS} times * is taken.` : undefined
}

type OfKnownRule = Reading & { known: StoredRule | undefined }

/** A firmware that was deleted may stay in a rule that names it. */
function readFirmwareIds(
  stated: readonly string[],
  { firmwareIds, known, pointer }: OfKnownRule,
  faults: FieldError[],
): string[] {
  const ids = stated.map((one) => one.toLowerCase())
  for (const [place, id] of ids.entries())
    if (!firmwareIds.has(id) && known?.firmwareIds.includes(id) !== true)
      faults.push({
        pointer: `${pointer}/firmwareIds/${place}`,
        detail: 'No firmware of the workspace has this id.',
      })
  return [...new Set(ids)]
}

const NO_OWNER = { personId: null, teamId: null, personEmail: null }

function readOwnerOfRule(
  { memberId = null, team = null }: OwnersCommand['rules'][number],
  reading: OfKnownRule,
  faults: FieldError[],
): Pick<StoredRule, 'personId' | 'teamId' | 'personEmail'> {
  const { teams, pointer } = reading
  if (memberId !== null && team === null) return readMember(memberId, reading, faults)
  if (team === null || memberId !== null) {
    faults.push({ pointer, detail: 'State either memberId or team.' })
    return NO_OWNER
  }
  const found = teams.find(({ name }) => name === team.trim())
  if (!found)
    faults.push({ pointer: `${pointer}/team`, detail: 'None of the teams has this name.' })
  return { ...NO_OWNER, teamId: found?.id ?? null }
}

/** Who left may stay in a rule until somebody changes it. */
function readMember(
  memberId: string,
  { members, known, pointer }: OfKnownRule,
  faults: FieldError[],
): Pick<StoredRule, 'personId' | 'teamId' | 'personEmail'> {
  const personId = memberId.toLowerCase()
  const email = members.get(personId)
  if (email === undefined && known?.personId !== personId)
    faults.push({ pointer: `${pointer}/memberId`, detail: NO_MEMBER })
  return { ...NO_OWNER, personId, personEmail: email ?? known?.personEmail ?? null }
}

/** Teams and owner rules as a person changes them, before they hold. */
import { ApiProblem, type OwnerRules } from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'
import type { StatedOwners } from './queries.ts'

export interface TeamDraft {
  /** Stays when the team is renamed. */
  key: string
  /** undefined: a new one. */
  id: string | undefined
  name: string
  memberIds: readonly string[]
}

export interface RuleDraft {
  /** Stays when the rule is moved. */
  key: string
  /** undefined: a new one. */
  id: string | undefined
  components: readonly string[]
  purls: readonly string[]
  files: readonly string[]
  firmwareIds: readonly string[]
  /** The key of a team, or the id of a member. */
  owner: string
}

export interface NameOption {
  value: string
  label: string
}

/** What rules may name. */
export interface Names {
  teams: readonly NameOption[]
  members: readonly NameOption[]
  firmwares: readonly NameOption[]
}

export interface Drafts {
  teams: readonly TeamDraft[]
  rules: readonly RuleDraft[]
}

export const readDrafts = ({ teams, rules }: OwnerRules): Drafts => ({
  teams: teams.map(({ id, name, memberIds }) => ({ key: id, id, name, memberIds })),
  rules: rules.map(({ id, components, purls, files, firmwareIds, owner }) => {
    return { key: id, id, components, purls, files, firmwareIds, owner: owner.id }
  }),
})

/** What is sent. */
export function writeDrafts({ teams, rules }: Drafts): StatedOwners {
  return {
    teams: teams.map(({ id, name, memberIds }) => ({
      ...(id !== undefined && { id }),
      name: name.trim(),
      memberIds: [...memberIds],
    })),
    rules: rules.map(({ id, components, purls, files, firmwareIds, owner }) => {
      const team = teams.find(({ key }) => key === owner)
      return {
        ...(id !== undefined && { id }),
        components: [...components],
        purls: [...purls],
        files: [...files],
        firmwareIds: [...firmwareIds],
        ...(team ? { team: team.name.trim() } : { memberId: owner }),
      }
    }),
  }
}

export const isSame = (one: Drafts, other: Drafts) =>
  JSON.stringify(writeDrafts(one)) === JSON.stringify(writeDrafts(other))

/** What held before, to be stated again: ids of what has gone are no longer known. */
export function restoreOwners(before: OwnerRules, now: OwnerRules): StatedOwners {
  const known = new Set([...now.teams, ...now.rules].map(({ id }) => id))
  const keep = <Draft extends { id: string | undefined }>(draft: Draft): Draft =>
    draft.id !== undefined && known.has(draft.id) ? draft : { ...draft, id: undefined }
  const { teams, rules } = readDrafts(before)
  return writeDrafts({ teams: teams.map(keep), rules: rules.map(keep) })
}

/** With what is new at the end, or in the place of what it changes. */
export const putDraft = <Draft extends { key: string }>(all: readonly Draft[], draft: Draft) =>
  all.some(({ key }) => key === draft.key)
    ? all.map((one) => (one.key === draft.key ? draft : one))
    : [...all, draft]

/** One place up or down. */
export function moveRule(rules: readonly RuleDraft[], place: number, by: -1 | 1): RuleDraft[] {
  const moved = rules[place]
  const rest = rules.toSpliced(place, 1)
  return moved ? rest.toSpliced(place + by, 0, moved) : rest
}

/** Rules that give to a team go with it: they would name nobody. */
export const removeTeam = ({ teams, rules }: Drafts, key: string): Drafts => ({
  teams: teams.filter((team) => team.key !== key),
  rules: rules.filter(({ owner }) => owner !== key),
})

/** What the service said of one team or rule that was sent. */
export function findRowFault(error: unknown, list: keyof Drafts, place: number) {
  if (!(error instanceof ApiProblem)) return undefined
  const at = `/${list}/${place}`
  const faults = error.problem.errors.filter(
    ({ pointer }) => pointer === at || pointer.startsWith(`${at}/`),
  )
  return faults.length === 0 ? undefined : faults.map(({ detail }) => detail).join(' ')
}

/** "1 team is new, 2 rules are changed, 1 rule goes, the order of rules changes." */
export function describeDifference(before: Drafts, after: Drafts): string {
  const told = [
    ...describeList('team', before.teams, after.teams),
    ...describeList('rule', before.rules, after.rules),
  ]
  const isMoved =
    listKept(before.rules, after.rules).join(' ') !== listKept(after.rules, before.rules).join(' ')
  if (isMoved) told.push('the order of rules changes')
  const text = told.join(', ')
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

const listKept = (all: readonly RuleDraft[], others: readonly RuleDraft[]) =>
  all.map(({ key }) => key).filter((key) => others.some((other) => other.key === key))

function describeList<Draft extends { key: string }>(
  noun: string,
  before: readonly Draft[],
  after: readonly Draft[],
): string[] {
  const of = (key: string) => before.find((one) => one.key === key)
  const added = after.filter(({ key }) => !of(key)).length
  const changed = after.filter((one) => {
    const known = of(one.key)
    return known && JSON.stringify(known) !== JSON.stringify(one)
  }).length
  const gone = before.filter(({ key }) => after.every((one) => one.key !== key)).length
  return [
    ...(added > 0 ? [`${formatCountOf(added, noun)} ${added === 1 ? 'is' : 'are'} new`] : []),
    ...(changed > 0 ? [`${formatCountOf(changed, noun)} changed`] : []),
    ...(gone > 0 ? [`${formatCountOf(gone, noun)} ${gone === 1 ? 'goes' : 'go'}`] : []),
  ]
}

/** Patterns as people type them: one a line. */
export const readLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Judges the licences of an SBOM by a file of rules, on this machine. */
import { readJsonObject } from './json-file.ts'
import { usageError } from './failure.ts'
import { readDocument } from './sbom-grades.ts'
import {
  findRuleFault,
  judgeLicence,
  LICENCE_OUTCOMES,
  type LicenceOutcome,
  type LicenceRules,
} from '../../server/src/formats/licences/licence-rules.ts'
import { combineLicences } from '../../server/src/formats/licences/stated-licence.ts'
import type { DeclaredComponent } from '../../server/src/formats/sboms/model.ts'

export const OUTCOME_WORDS: Record<LicenceOutcome, string> = {
  allowed: 'allowed',
  review: 'to be reviewed',
  notListed: 'in no list',
  unknown: 'unknown',
  denied: 'denied',
}

export interface JudgedComponent {
  component: string
  version: string | null
  licence: string | null
  outcome: LicenceOutcome
  /** What is left of it where an OR leaves a choice. */
  chosen: string[]
  reasons: string[]
}

export interface JudgedLicences {
  fileName: string
  counts: Record<LicenceOutcome, number>
  failOn: LicenceOutcome[]
  components: JudgedComponent[]
}

interface RuleFile {
  allow: string[]
  deny: string[]
  review: string[]
  failOn: LicenceOutcome[]
}

/** What nobody allowed is no less a fault than what somebody denied. */
const DEFAULT_FAIL_ON: LicenceOutcome[] = ['denied', 'notListed', 'unknown']

export async function judgeLicences(path: string, rulesPath: string): Promise<JudgedLicences> {
  const rules = await readLicenceRules(rulesPath)
  const { fileName, document } = await readDocument(path)
  const isSpdx = document.format.startsWith('Spdx')
  const components = document.components.map((component) => judge(component, isSpdx, rules))
  const counted = LICENCE_OUTCOMES.map((outcome) => [
    outcome,
    components.filter((one) => one.outcome === outcome).length,
  ])
  const counts = Object.fromEntries(counted) as Record<LicenceOutcome, number>
  return { fileName, counts, failOn: rules.failOn, components }
}

function judge(
  { packageName, version, licenses }: DeclaredComponent,
  isSpdx: boolean,
  rules: LicenceRules,
): JudgedComponent {
  const licence = combineLicences(licenses, isSpdx)
  const verdict = judgeLicence(licence, rules)
  return { component: packageName, version: version ?? null, licence: licence ?? null, ...verdict }
}

/** What `licence set` sends, too. */
export async function readLicenceRules(path: string): Promise<RuleFile> {
  const rules = await readJsonObject(path)
  const known = ['allow', 'deny', 'review', 'failOn']
  const other = Object.keys(rules).find((name) => !known.includes(name))
  if (other !== undefined)
    throw usageError(`${path} has a member ${JSON.stringify(other)}. Use ${known.join(', ')}.`)
  const [allow, deny, review] = ['allow', 'deny', 'review'].map((name) => {
    const list = readTexts(path, name, rules[name])
    const fault = list.map(findRuleFault).find((one) => one !== undefined)
    if (fault !== undefined) throw usageError(`${path}, ${name}: ${fault}.`)
    return list
  })
  if (!allow?.length && !deny?.length && !review?.length)
    throw usageError(`${path} has no rule: state allow, deny or review.`)
  const failOn = rules['failOn'] === undefined ? DEFAULT_FAIL_ON : readFailOn(path, rules['failOn'])
  return { allow: allow ?? [], deny: deny ?? [], review: review ?? [], failOn }
}

function readTexts(path: string, name: string, list: unknown): string[] {
  if (list === undefined) return []
  if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list
  throw usageError(`${path}: ${name} is not a list of texts.`)
}

function readFailOn(path: string, list: unknown): LicenceOutcome[] {
  return readTexts(path, 'failOn', list).map((text) => {
    const found = LICENCE_OUTCOMES.find((one) => one === text)
    if (found === undefined || found === 'allowed')
      throw usageError(`${path}: failOn takes review, notListed, unknown and denied.`)
    return found
  })
}

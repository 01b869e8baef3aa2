/** Which licences may ship, and which components of a version have others. */
import { combineLicences } from '../../formats/licences/stated-licence.ts'
import {
  findRuleFault,
  judgeLicence,
  LICENCE_OUTCOMES,
  type LicenceOutcome,
  type LicenceVerdict,
} from '../../formats/licences/licence-rules.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { type FieldError, refuseFaults } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { newId } from '../../platform/ids.ts'
import { startPauses } from '../../platform/pauses.ts'
import { recordAudit } from '../audit/index.ts'
import { getFirmware, getFirmwareVersion } from '../firmware/index.ts'
import { listStatedCounts } from './kept-store.ts'
import { writeNotice } from './notice.ts'
import * as store from './store.ts'

const MOST_LICENCES = 1_000
const MOST_NAMES = 20

type Rules = store.StoredRules | null

interface Change {
  workspaceId: string
  actor: Actor
  precondition?: Precondition | undefined
}

export async function getWorkspaceRules(db: Db, { workspaceId }: { workspaceId: string }) {
  return { rules: (await store.findRules(db, { workspaceId, firmwareId: null })) ?? null }
}

export async function replaceWorkspaceRules(ctx: AppContext, input: Change & { rules: Rules }) {
  const { workspaceId, actor, rules } = input
  checkRules(rules, '/rules')
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockRules(tx, workspaceId)
    const before = await getWorkspaceRules(tx, { workspaceId })
    input.precondition?.(before)
    await store.replaceRules(tx, { workspaceId, firmwareId: null }, rules && withId(rules))
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      resourceType: 'workspace',
      resourceId: workspaceId,
      action: 'licence-rules.update',
      before,
      after: { rules },
    })
    return getWorkspaceRules(tx, { workspaceId })
  })
}

interface OfFirmware {
  workspaceId: string
  firmwareId: string
}

export async function getFirmwareRules(db: Db, input: OfFirmware) {
  const { workspaceId } = input
  const { id: firmwareId } = await getFirmware(db, workspaceId, input.firmwareId)
  return {
    ownRules: (await store.findRules(db, { workspaceId, firmwareId })) ?? null,
    workspaceRules: (await store.findRules(db, { workspaceId, firmwareId: null })) ?? null,
  }
}

export async function replaceFirmwareRules(
  ctx: AppContext,
  input: Change & OfFirmware & { ownRules: Rules },
) {
  const { workspaceId, actor, ownRules } = input
  checkRules(ownRules, '/ownRules')
  return ctx.db.transaction().execute(async (tx) => {
    await store.lockRules(tx, workspaceId)
    const { id: firmwareId } = await getFirmware(tx, workspaceId, input.firmwareId)
    const before = await getFirmwareRules(tx, { workspaceId, firmwareId })
    input.precondition?.(before)
    await store.replaceRules(tx, { workspaceId, firmwareId }, ownRules && withId(ownRules))
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      resourceType: 'firmware',
      resourceId: firmwareId,
      action: 'firmware.licence-rules',
      before: { rules: before.ownRules },
      after: { rules: ownRules },
    })
    return getFirmwareRules(tx, { workspaceId, firmwareId })
  })
}

const withId = (rules: store.StoredRules) => ({ ...rules, id: newId() })

/** Each entry has to be one licence; rules that say nothing would let everything pass. */
function checkRules(rules: Rules, pointer: string): void {
  if (!rules) return
  const faults: FieldError[] = []
  for (const list of ['allow', 'deny', 'review'] as const)
    for (const [place, rule] of rules[list].entries()) {
      const fault = findRuleFault(rule)
      if (fault !== undefined)
        faults.push({ pointer: `${pointer}/${list}/${place}`, detail: fault })
    }
  if (rules.allow.length + rules.deny.length + rules.review.length === 0)
    faults.push({ pointer, detail: 'State at least one licence, or null for no rules.' })
  refuseFaults(faults, 'licence rules are wrong')
}

interface JudgedLicence extends Omit<LicenceVerdict, 'outcome'> {
  licence: string | null
  outcome: LicenceOutcome | null
  componentCount: number
  components: string[]
}

const NOT_JUDGED = { outcome: null, chosen: [], reasons: [] }

/** Those of one version, the worst first. */
export async function getVersionLicences(
  db: Db,
  input: { workspaceId: string; firmwareVersionId: string },
) {
  const { version, ownRules, rules } = await readRulesOfVersion(db, input)
  const { id, name, firmware } = version
  const asked = { workspaceId: input.workspaceId, firmwareVersionId: id, mostNames: MOST_NAMES }
  const licences = await judgeStated(await store.listStatedLicences(db, asked), rules)
  const counts = rules && countOutcomes(licences)
  return {
    firmwareVersion: { id, name, firmware },
    rulesOf: rules && (ownRules ? ('Firmware' as const) : ('Workspace' as const)),
    failOn: rules?.failOn ?? [],
    failingCount: rules && counts && sumFailing(rules, counts),
    componentCount: sumOf(licences.map(({ componentCount }) => componentCount)),
    counts,
    licenceCount: licences.length,
    licences: licences.slice(0, MOST_LICENCES),
  }
}

/** The version, and the rules that hold for it. */
async function readRulesOfVersion(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
) {
  const version = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const of = { workspaceId, firmwareId: version.firmware.id }
  const { ownRules, workspaceRules } = await getFirmwareRules(db, of)
  return { version, ownRules, rules: ownRules ?? workspaceRules }
}

const sumFailing = ({ failOn }: store.StoredRules, counts: Record<LicenceOutcome, number>) =>
  sumOf(failOn.map((outcome) => counts[outcome]))

async function judgeStated(
  stated: readonly store.StatedLicences[],
  rules: Rules,
): Promise<JudgedLicence[]> {
  const pause = startPauses()
  const byLicence = new Map<string | null, JudgedLicence>()
  for (const { licenses, isSpdx, componentCount, components } of stated) {
    await pause()
    const licence = combineLicences(licenses, isSpdx) ?? null
    const known = byLicence.get(licence)
    const verdict = known ?? (rules ? judgeLicence(licence ?? undefined, rules) : NOT_JUDGED)
    byLicence.set(licence, {
      licence,
      outcome: verdict.outcome,
      chosen: verdict.chosen,
      reasons: verdict.reasons,
      componentCount: componentCount + (known?.componentCount ?? 0),
      components: [...(known?.components ?? []), ...components].slice(0, MOST_NAMES),
    })
  }
  const rankOf = ({ outcome }: JudgedLicence) =>
    outcome === null ? 0 : LICENCE_OUTCOMES.indexOf(outcome)
  return [...byLicence.values()].toSorted(
    (one, other) => rankOf(other) - rankOf(one) || other.componentCount - one.componentCount,
  )
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

function countOutcomes(licences: readonly JudgedLicence[]) {
  const counted = LICENCE_OUTCOMES.map((wanted) => [
    wanted,
    sumOf(
      licences
        .filter(({ outcome }) => outcome === wanted)
        .map(({ componentCount }) => componentCount),
    ),
  ])
  return Object.fromEntries(counted) as Record<LicenceOutcome, number>
}

/** Components of a version by outcome; null: there are no rules. */
export async function countLicences(
  db: Db,
  input: { workspaceId: string; firmwareVersionId: string },
): Promise<Record<LicenceOutcome, number> | null> {
  const { version, rules } = await readRulesOfVersion(db, input)
  if (!rules) return null
  const { workspaceId } = input
  const stated = await listStatedCounts(db, { workspaceId, firmwareVersionId: version.id })
  return countOutcomes(
    await judgeStated(
      stated.map((one) => ({ ...one, components: [] })),
      rules,
    ),
  )
}

/** The notice of a version, of all its components that ship. */
export async function getNotice(db: Db, input: { workspaceId: string; firmwareVersionId: string }) {
  const { workspaceId } = input
  const { id, name, firmware } = await getFirmwareVersion(db, workspaceId, input.firmwareVersionId)
  const rows = await store.listNoticed(db, { workspaceId, firmwareVersionId: id })
  const components = rows.map(({ licenses, isSpdx, ...component }) => ({
    ...component,
    licence: combineLicences(licenses, isSpdx) ?? null,
  }))
  return writeNotice(`Third-party software in ${firmware.name} ${name}`, components)
}

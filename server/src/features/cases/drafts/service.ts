/** Drafts of reports: read from what is known, and written over by people. Nothing is sent from here. */
import { isTimeZoneName } from '../../../formats/law/calendar.ts'
import { computeArticle } from '../../../formats/law/clocks.ts'
import { isMemberState } from '../../../formats/law/member-states.ts'
import {
  type DraftStage,
  findFieldSet,
  LATEST_FIELD_SET,
  listFields,
} from '../../../formats/law/report-fields.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { listLines } from '../../product-lines/index.ts'
import { readKnownVulnerability } from '../../vulnerabilities/index.ts'
import { type ActOnCase, recordAct, refuse, requireNotEnded, tellWho } from '../acts-service.ts'
import { type CaseFact, readStanding } from '../case-facts.ts'
import { listFixDeployments } from '../versions-store.ts'
import { findRow } from '../service.ts'
import * as cases from '../store.ts'
import { listFieldValues, findWritten } from './draft.ts'
import type { DraftFacts, DraftLine, DraftRecord } from './draft-facts.ts'
import { findUnsaidStates } from './propose-fields.ts'
import { renderIntermediate, renderMarkdown, renderText } from './render.ts'
import * as store from './store.ts'

const MOST_ROLL_OUTS = 100
const MOST_DECISIONS = 200
const MOST_COUNTRIES = 300
/** Of one case, for all stages together. */
const MOST_WRITTEN = 2_000

interface OneDraft {
  workspaceId: string
  caseId: string
  stage: DraftStage
}

type Reading = Pick<AppContext, 'now'>

export async function getDraft(ctx: Reading, db: Db, { workspaceId, caseId, stage }: OneDraft) {
  const row = await findRow(db, { workspaceId, caseId })
  const facts = await cases.listFacts(db, workspaceId, { caseIds: [row.id], hasTexts: true })
  const known = await readDraftFacts(ctx, db, { workspaceId, row, facts })
  const fields = listFieldValues(LATEST_FIELD_SET, known, {
    stage,
    written: facts.filter(({ kind }) => kind === 'Field'),
  })
  const recorded = known.standing.reports.findLast(
    ({ detail, invalidation }) => detail.stage === stage && !invalidation,
  )
  return {
    caseId: row.id,
    title: row.title,
    isDrill: row.isDrill,
    stage,
    article: computeArticle(row.type, stage),
    fieldSet: LATEST_FIELD_SET.version,
    fieldSetReadOn: LATEST_FIELD_SET.readOn,
    preparedAt: known.now,
    fields,
    missing: fields.filter(({ isMissing }) => isMissing).map(({ key }) => key),
    tooLong: fields.filter(({ isTooLong }) => isTooLong).map(({ key }) => key),
    coordinatorStates: [...new Set(row.lines.flatMap((line) => line.coordinatorState ?? []))],
    suggestedStates: findUnsaidStates(known),
    submittedReportId: recorded?.originalId ?? null,
  }
}

async function readDraftFacts(
  { now }: Reading,
  db: Db,
  {
    workspaceId,
    row,
    facts,
  }: { workspaceId: string; row: cases.CaseRow; facts: readonly CaseFact[] },
): Promise<DraftFacts> {
  const { vulnerabilityId } = row
  const of = { workspaceId, caseId: row.id, vulnerabilityId }
  const lineIds = row.lines.map(({ id }) => id)
  const named = await cases.listVersions(db, of)
  const versions = await store.listOrderedVersions(db, of)
  const affected = new Set(versions.flatMap(({ id, isAffected }) => (isAffected ? [id] : [])))
  return {
    now: now(),
    type: row.type,
    title: row.title,
    cveId: vulnerabilityId,
    signal: facts.find(({ kind }) => kind === 'Signal')?.text ?? null,
    manufacturer: row.manufacturer,
    lines: (await listLines(db, workspaceId, lineIds)).map(pickLine),
    standing: readStanding(facts),
    versions,
    components: named.flatMap(({ components }) => components),
    deviceCount: await cases.countDevices(db, workspaceId, [...affected]),
    devicesByVersion: named
      .filter(({ firmwareVersionId }) => affected.has(firmwareVersionId))
      .map(({ firmware, version, deviceCount }) => ({
        version: `${firmware} ${version}`,
        deviceCount: deviceCount ?? 0,
      })),
    deviceStates: await listDeviceStates(db, of),
    record: vulnerabilityId === null ? undefined : await findRecord(db, vulnerabilityId),
    rollOuts:
      vulnerabilityId === null
        ? []
        : await listFixDeployments(db, { ...of, vulnerabilityId }, MOST_ROLL_OUTS),
    decisions: await store.listDecisions(db, of, MOST_DECISIONS),
  }
}

const pickLine = (line: DraftLine): DraftLine => ({
  name: line.name,
  manufacturer: line.manufacturer,
  memberStates: line.memberStates,
  productClass: line.productClass,
  category: line.category,
  supportEndsIn: line.supportEndsIn,
  timeZone: isTimeZoneName(line.timeZone) ? line.timeZone : 'UTC',
})

async function listDeviceStates(db: Db, of: { workspaceId: string; caseId: string }) {
  const countries = await store.listDeviceCountries(db, of, MOST_COUNTRIES)
  return countries.flatMap(({ country, deviceCount }) =>
    isMemberState(country) ? [{ state: country, deviceCount }] : [],
  )
}

async function findRecord(db: Db, named: string): Promise<DraftRecord | undefined> {
  const known = await readKnownVulnerability(db, named)
  if (!known) return undefined
  return { ...known, cveId: known.id, euvdId: await store.findEuvdId(db, known.id) }
}

/** Fields of the newest draft that tell of a state: what the first reports said once is not said again. */
const INTERMEDIATE_FIELDS = [
  'versions',
  'measuresTaken',
  'measuresOfUsers',
  'severity',
  'impact',
  'mitigation',
  'incidentSeverity',
  'incidentImpact',
  'cause',
]

/** A draft for what the CSIRT asked. It is one text, and nobody keeps it before it is submitted. */
export async function getIntermediateDraft(
  ctx: Reading,
  db: Db,
  { requestId, ...one }: Omit<OneDraft, 'stage'> & { requestId: string },
) {
  const row = await findRow(db, one)
  const facts = await cases.listFacts(db, one.workspaceId, { caseIds: [row.id], hasTexts: true })
  const request = readStanding(facts).requests.find(({ originalId }) => originalId === requestId)
  if (!request) throw notFound('report request', requestId)
  const draft = await getDraft(ctx, db, { ...one, stage: 'FinalReport' })
  const told = INTERMEDIATE_FIELDS.flatMap(
    (key) => draft.fields.find((field) => field.key === key) ?? [],
  )
  const { text: asked, recordedAt: askedAt, instant: dueAt } = request
  const text = renderIntermediate({
    title: row.title,
    isDrill: row.isDrill,
    now: draft.preparedAt,
    request: { asked: asked ?? '', askedAt, dueAt },
    // What the first reports said of versions may be old by now.
    fields: told.map((field) => ({
      ...field,
      text: field.rule === 'CarriedOn' ? (field.proposedText ?? field.text) : field.text,
    })),
  })
  return { caseId: row.id, requestId, preparedAt: draft.preparedAt, text }
}

interface ExportDraft extends OneDraft {
  format: 'text' | 'markdown'
}

export async function exportDraft(ctx: Reading, db: Db, { format, ...one }: ExportDraft) {
  const { preparedAt, ...draft } = await getDraft(ctx, db, one)
  const rendered = { ...draft, now: preparedAt }
  const name = `${one.stage.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()}-${one.caseId}`
  return format === 'markdown'
    ? { content: renderMarkdown(rendered), contentType: 'text/markdown', fileName: `${name}.md` }
    : { content: renderText(rendered), contentType: 'text/plain', fileName: `${name}.txt` }
}

export interface WriteField extends OneDraft, ActOnCase {
  key: string
  /** null: what is proposed, or carried on, holds again. */
  text: string | null
  fieldSet?: string
  /** What the writer saw: a fact, or null for none. Left out: whatever is there. */
  insteadOf?: string | null
}

/** A text that somebody writes over what is proposed. The same text is recorded once. */
export async function writeField(ctx: AppContext, input: WriteField) {
  const { stage, key, text, fieldSet = LATEST_FIELD_SET.version, insteadOf } = input
  const set = findFieldSet(fieldSet)
  if (!set) throw invalid(`No glossary has the version ${fieldSet}.`, '/fieldSet')
  await recordAct(ctx, input, ({ row, facts, standing }) => {
    requireNotEnded(standing)
    const field = listFields(set, row.type, stage).find((one) => one.key === key)
    if (!field) throw invalid('The report has no such field at this stage.', '/key')
    const written = facts.filter(({ kind }) => kind === 'Field')
    const last = findWritten(written, { key, stage })
    if (insteadOf !== undefined && (last?.id ?? null) !== insteadOf)
      throw refuse(
        'field-changed',
        last
          ? `${field.label} was written meanwhile: ${tellWho({ ...last, originalId: last.id })}.`
          : `What was written as ${field.label} was taken back meanwhile.`,
      )
    if ((last?.text ?? null) === text) return undefined
    if (written.length >= MOST_WRITTEN)
      throw refuse(
        'too-many-texts',
        `The drafts of the case were written ${MOST_WRITTEN} times; more is not taken.`,
      )
    return {
      kind: 'Field',
      action: 'case.write-field',
      text,
      detail: { field: key, stage, fieldSet },
    }
  })
  return getDraft(ctx, ctx.db, input)
}

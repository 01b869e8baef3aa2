import { Type } from 'typebox'
import { CASE_TYPES, CLOCK_BASES, CLOCK_STAGES, REPORT_STAGES } from '../../formats/law/clocks.ts'
import { LATEST_FIELD_SET } from '../../formats/law/report-fields.ts'
import { MEMBER_STATES } from '../../formats/law/member-states.ts'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  Reference,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { ANSWERS, CASE_STATES, FACT_KINDS, MEASURE_KINDS, QUESTIONS } from './case-facts.ts'
import { CASE_ORIGINS } from './store.ts'

/** As much as a report can have: all fields of the platform together. */
const MOST_TEXT = 100_000
/** Of one field: twice as much as the longest can have, so that a text that is too long is kept and shown as such. */
export const MOST_FIELD_TEXT = 8_000
const MOST_REASON = 4_000

export const CaseType = OneOf('CaseType', CASE_TYPES)
export const CaseState = OneOf('CaseState', CASE_STATES)
const ReportStage = OneOf('ReportStage', REPORT_STAGES)
const ClockStage = OneOf('ClockStage', CLOCK_STAGES)
const CaseAnswer = OneOf('CaseAnswer', ANSWERS)
const CaseQuestion = OneOf('CaseQuestion', QUESTIONS)
const MeasureKind = OneOf('MeasureKind', MEASURE_KINDS)
const MemberState = OneOf('MemberState', MEMBER_STATES)
const ClockState = OneOf('ClockState', ['Done', 'DoneLate', 'Running', 'Late', 'NoDueTime'])

export const Reason = Type.String({ minLength: 1, maxLength: MOST_REASON, pattern: '\\S' })
const reason = Type.Optional(Nullable(Reason))
const Instant = Type.String({ format: 'date-time', examples: ['2026-11-02T21:40:00Z'] })

export const AnswerCommand = Exactly(
  { question: CaseQuestion, answer: CaseAnswer, reason },
  {
    examples: [{ question: 'CanBeExploited', answer: 'No', reason: 'The applet is not built in.' }],
  },
)
export const AwarenessCommand = Exactly(
  {
    awareAt: { ...Instant, description: 'May be before the case; not in the future' },
    isEstimate: Type.Optional(Type.Boolean({ default: false })),
    reason,
  },
  { examples: [{ awareAt: '2026-11-02T21:40:00Z' }] },
)
export const WatchCommand = Exactly(
  { nextLookAt: Instant, reason },
  { examples: [{ nextLookAt: '2099-01-01T09:00:00Z', reason: 'Waits for the vendor.' }] },
)
export const MeasureCommand = Exactly(
  { availableAt: Instant, measure: MeasureKind, detail: reason },
  { examples: [{ availableAt: '2026-11-02T21:40:00Z', measure: 'Mitigating' }] },
)
export const ReportRequestCommand = Exactly(
  { dueAt: Instant, text: Reason },
  { examples: [{ dueAt: '2099-01-01T09:00:00Z', text: 'Status of the roll-out' }] },
)
export const ReportCommand = Exactly(
  {
    stage: ReportStage,
    submittedAt: Instant,
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MOST_TEXT,
        description: 'Exactly as submitted. Left out: the texts of the fields, in their order',
      }),
    ),
    fields: Type.Optional(
      Type.Array(
        ExactShape('SubmittedField', {
          key: Type.String({ maxLength: 100, examples: ['title'] }),
          text: Type.String({ maxLength: MOST_FIELD_TEXT }),
        }),
        {
          minItems: 1,
          maxItems: 100,
          description:
            'What each field said; later reports carry it on. None: only the text is kept',
        },
      ),
    ),
    fieldSet: Type.Optional(
      Type.String({
        maxLength: 20,
        default: LATEST_FIELD_SET.version,
        description: 'Version of the glossary that the fields are of',
      }),
    ),
    reference: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 255 }), {
        description: 'What the platform calls it',
      }),
    ),
    requestId: Type.Optional(
      Nullable(Type.String(), { description: 'Of an intermediate report: what the CSIRT asked' }),
    ),
  },
  { examples: [{ stage: 'EarlyWarning', submittedAt: '2026-11-02T23:10:00Z', text: '1 Type: …' }] },
)
export const InvalidationCommand = Exactly(
  { invalidatedAt: Instant, reason: Reason },
  { examples: [{ invalidatedAt: '2026-11-03T08:00:00Z', reason: 'Sent to the wrong CSIRT.' }] },
)
export const UsersInformedCommand = Exactly(
  { informedAt: Instant, text: Reason },
  { examples: [{ informedAt: '2026-11-03T08:00:00Z', text: 'Mail to all customers.' }] },
)
export const ReasonCommand = Exactly(
  { reason: Reason },
  { examples: [{ reason: 'It cannot be exploited in this product.' }] },
)
export const CloseCommand = Exactly({ reason }, { examples: [{}] })
export const CorrectionCommand = Exactly(
  {
    factId: Type.String(),
    instant: Nullable(Instant, { description: 'null: the fact holds no more' }),
    isEstimate: Type.Optional(Type.Boolean({ default: false })),
    reason: Reason,
  },
  {
    examples: [
      { factId: '0199…', instant: '2026-11-02T20:00:00Z', reason: 'The call was at eight.' },
    ],
  },
)
const CaseClock = Shape('CaseClock', {
  stage: ClockStage,
  requestId: Nullable(Type.String()),
  dueAt: Nullable(Timestamp, { description: 'null: no due time, or none yet; `basis` says why' }),
  basis: OneOf('ClockBasis', CLOCK_BASES),
  article: Type.String({ examples: ['14(2)(a)'], description: 'Regulation (EU) 2024/2847' }),
  isInterpretation: Type.Boolean({
    description: 'The law does not settle it: the cautious reading',
  }),
  doneAt: Nullable(Timestamp),
  state: ClockState,
  platformShowsAt: Nullable(Timestamp, {
    description: 'What the platform shows: 48 hours after the submitted early warning',
  }),
})

const summary = {
  id: Type.String(),
  type: CaseType,
  title: Type.String(),
  cveId: Nullable(Type.String()),
  manufacturer: Type.String({ description: 'Empty: no product line is known yet' }),
  isDrill: Type.Boolean(),
  origin: OneOf('CaseOrigin', CASE_ORIGINS),
  listedOn: Nullable(Type.String(), { description: 'When CISA or ENISA first listed it' }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  state: CaseState,
  productLines: Type.Array(Reference),
  coordinatorStates: Type.Array(MemberState, { description: '14(7), as the lines say' }),
  memberStates: Type.Array(MemberState),
  appliesFrom: Nullable(Type.String(), {
    description: 'All lines are of stewards: Article 14 applies to them from this day, 71(2)',
  }),
  signalAt: Timestamp,
  assessBefore: Nullable(Timestamp, {
    description: 'Good practice, not law: a proposal is to be assessed by then',
  }),
  awareAt: Nullable(Timestamp),
  isAwarenessEstimated: Type.Boolean(),
  nextLookAt: Nullable(Timestamp),
  measureAvailableAt: Nullable(Timestamp),
  suggestsDismissal: Type.Boolean({ description: 'One of the two questions is answered with no' }),
  hasNewVersions: Type.Boolean({
    description: 'Versions were found after it was closed or dismissed',
  }),
  clocks: Type.Array(CaseClock, { description: 'None before the instant of awareness is set' }),
  nextDueAt: Nullable(Timestamp),
  nextStage: Nullable(ClockStage),
}

const CaseSummary = Shape('CaseSummary', summary)
export const CaseList = Shape('CaseList', {
  cases: Type.Array(CaseSummary, {
    description:
      'Open clocks first, the next one due before others; at most 500, of the newest 10,000 of the workspace',
  }),
  hasMore: Type.Boolean({ description: 'More fit than are listed: narrow the filter' }),
  counts: Shape(
    'CaseCounts',
    {
      open: Type.Integer({ description: 'Their clocks run' }),
      late: Type.Integer({ description: 'Of the open ones, those with a report that is late' }),
      proposed: Type.Integer(),
      watching: Type.Integer(),
    },
    { description: 'Of all cases, whatever the filter; drills count' },
  ),
})

const GivenAnswer = Shape('GivenAnswer', {
  answer: CaseAnswer,
  reason: Nullable(Type.String()),
  at: Timestamp,
  by: Nullable(Type.String()),
})

export const Case = Shape('Case', {
  ...summary,
  versions: Type.Array(
    Shape('CaseVersion', {
      firmwareVersionId: Type.String(),
      firmware: Type.String(),
      version: Type.String(),
      components: Type.Array(
        Shape('CaseComponent', {
          name: Type.String(),
          version: Nullable(Type.String()),
          assessment: Nullable(Type.String()),
        }),
      ),
      deviceCount: Nullable(Type.Integer(), { description: 'null: the version was deleted since' }),
      isDeployed: Type.Boolean(),
      addedAt: Timestamp,
    }),
  ),
  deviceCount: Type.Integer({ description: 'Devices that report these versions now, each once' }),
  canBeExploited: Nullable(GivenAnswer),
  wasExploited: Nullable(GivenAnswer),
  proposedAnswer: Nullable(Type.Enum(['Yes', 'No']), {
    description: 'Whether it can be exploited, by the decisions about its findings',
  }),
  proposedMeasure: Nullable(Shape('ProposedMeasure', { at: Timestamp, version: Type.String() }), {
    description: 'The first deployment of a version without the finding; a person confirms it',
  }),
  reports: Type.Array(
    Shape('CaseReport', {
      id: Type.String(),
      stage: ReportStage,
      requestId: Nullable(Type.String()),
      submittedAt: Timestamp,
      reference: Nullable(Type.String()),
      text: Type.String(),
      fieldSet: Nullable(Type.String(), { description: 'Version of the glossary of the fields' }),
      fields: Type.Array(
        Shape('CaseReportField', {
          key: Type.String(),
          number: Type.String(),
          label: Type.String(),
          text: Type.String(),
        }),
        { description: 'None: only the text was recorded' },
      ),
      recordedAt: Timestamp,
      recordedBy: Nullable(Type.String()),
      invalidatedAt: Nullable(Timestamp),
      invalidation: Nullable(Type.String()),
    }),
  ),
  facts: Type.Array(
    Shape('CaseFact', {
      id: Type.String(),
      kind: OneOf('CaseFactKind', FACT_KINDS),
      recordedAt: Timestamp,
      byType: Type.String(),
      byEmail: Nullable(Type.String()),
      instant: Nullable(Timestamp),
      isEstimate: Type.Boolean(),
      text: Nullable(Type.String()),
      correctsId: Nullable(Type.String()),
      question: Nullable(CaseQuestion),
      answer: Nullable(CaseAnswer),
      stage: Nullable(ReportStage),
      measure: Nullable(MeasureKind),
      field: Nullable(Type.String(), { description: 'Of a text that somebody wrote into a draft' }),
      reference: Nullable(Type.String()),
      names: Type.Array(Type.String()),
      reason: Nullable(Type.String(), { description: 'Of a correction' }),
      isWithdrawn: Type.Boolean(),
    }),
    { description: 'Oldest first. Nothing is ever changed: a correction names what it corrects' },
  ),
})

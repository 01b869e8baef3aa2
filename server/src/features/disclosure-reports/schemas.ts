import { Type } from 'typebox'
import { defineMessage } from '../../platform/jobs/queue.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import { Exactly, Name, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { DISMISSALS, EVENT_KINDS, REPORT_STATES, REPORT_STEPS } from './standing.ts'
import { MOST } from './submission.ts'

const Text = (most: number) => Type.String({ minLength: 1, maxLength: most, pattern: '\\S' })
const Reason = Text(4_000)
const NullableText = Nullable(Type.String())
const Instant = Type.String({ format: 'date-time', examples: ['2026-11-02T21:40:00Z'] })
const Id = Type.String({ format: 'uuid' })
const Days = (most: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: most, description })

const policy = {
  isPublic: Type.Boolean({ description: 'Whether everybody can open the page and send reports' }),
  policy: Nullable(Text(20_000), {
    description: 'Stands above the form, as text; null: a sentence of the product',
  }),
  showsProductLines: Type.Boolean({
    description: 'Whether the form offers the names of product lines',
  }),
  answerDays: Days(365, 'Working days until a person answers; good practice, no law'),
  assessmentDays: Days(365, 'Working days until it is assessed; good practice, no law'),
  disclosureDays: Days(3650, 'Days until it is disclosed; good practice, no law'),
  mostPerDay: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: 'Reports that are taken within 24 hours',
  }),
}

export const DisclosurePolicy = Shape('DisclosurePolicy', {
  ...policy,
  pageUrl: Type.String({ description: 'Where everybody finds policy and form while it is public' }),
  updatedAt: Nullable(Timestamp),
})

export const UpdatePolicyCommand = Replacing(
  Exactly(
    {
      isPublic: policy.isPublic,
      policy: Type.Optional(policy.policy),
      showsProductLines: Type.Optional(policy.showsProductLines),
      answerDays: Type.Optional(policy.answerDays),
      assessmentDays: Type.Optional(policy.assessmentDays),
      disclosureDays: Type.Optional(policy.disclosureDays),
      mostPerDay: Type.Optional(policy.mostPerDay),
    },
    { examples: [{ isPublic: false, answerDays: 5 }] },
  ),
  DisclosurePolicy,
)

const State = OneOf('DisclosureReportState', REPORT_STATES)
const Step = OneOf('DisclosureReportStep', REPORT_STEPS)
const DismissalKind = OneOf('DisclosureReportDismissal', DISMISSALS)

const summary = {
  id: Type.String(),
  title: Type.String(),
  productLineId: NullableText,
  productLineName: NullableText,
  contact: Nullable(Type.String(), {
    description: 'As it was given; null: anonymous, or erased since',
  }),
  contactErasedAt: Nullable(Timestamp),
  credit: Nullable(Type.String(), {
    description: 'Under which name whoever reported is thanked; null: none',
  }),
  receivedAt: Timestamp,
  state: State,
  caseId: NullableText,
  dismissal: Nullable(DismissalKind),
  duplicateOfId: NullableText,
  embargoUntil: Nullable(Timestamp, { description: 'null: the days of the policy count' }),
  disclosedAt: Nullable(Timestamp),
  hasUnanswered: Type.Boolean({ description: 'Whoever reported wrote something unanswered' }),
  isWaiting: Type.Boolean({ description: 'Somebody is to answer or to assess it' }),
  isLate: Type.Boolean(),
  nextDueAt: Nullable(Timestamp),
  nextStep: Nullable(Step),
  clocks: Type.Array(
    Shape('DisclosureReportClock', {
      step: Step,
      dueAt: Timestamp,
      doneAt: Nullable(Timestamp),
      state: OneOf('DisclosureReportClockState', ['Done', 'DoneLate', 'Running', 'Late']),
    }),
    { description: 'Good practice (BSI TR-03183-3), no law' },
  ),
}

const DisclosureReportSummary = Shape('DisclosureReportSummary', summary)

export const DisclosureReportList = Shape('DisclosureReportList', {
  reports: Type.Array(DisclosureReportSummary),
  hasMore: Type.Boolean({ description: 'There are more than are listed' }),
  counts: Shape('DisclosureReportCounts', {
    waiting: Type.Integer(),
    late: Type.Integer(),
    open: Type.Integer(),
    all: Type.Integer(),
  }),
})

export const DisclosureReport = Shape('DisclosureReport', {
  ...summary,
  text: Type.String({ description: 'As it was sent. It is of a stranger: show it as text' }),
  events: Type.Array(
    Shape('DisclosureReportEvent', {
      id: Type.String(),
      kind: OneOf('DisclosureReportEventKind', EVENT_KINDS),
      recordedAt: Timestamp,
      isByReporter: Type.Boolean(),
      byEmail: NullableText,
      text: NullableText,
      instant: Nullable(Timestamp),
      caseId: NullableText,
      dismissal: Nullable(DismissalKind),
      duplicateOfId: NullableText,
    }),
    { description: 'Oldest first; they are never changed' },
  ),
})

/** A query holds texts. */
const Flag = (description: string) => Type.Optional(Type.Enum(['true', 'false'], { description }))

export const ReportQuery = Exactly({
  state: Type.Optional(State),
  isOpen: Flag('true: leave out what is dismissed or disclosed'),
  isWaiting: Flag('true: only what somebody is to answer or to assess'),
  caseId: Type.Optional(Type.String({ maxLength: 100 })),
})

export const AnswerCommand = Exactly(
  { text: Text(MOST.text) },
  { examples: [{ text: 'Thank you. We can repeat it, and work on a fix.' }] },
)
export const NoteCommand = Exactly(
  { text: Text(MOST.text) },
  { examples: [{ text: 'Looks like the parser that we replaced in 2.4.' }] },
)
export const JoinCommand = Exactly(
  { caseId: Id },
  { examples: [{ caseId: '0199a1b2-0000-7000-8000-000000000001' }] },
)
export const ProposeCommand = Exactly(
  {
    title: Name,
    cveId: Type.Optional(
      Nullable(Type.String({ pattern: '^CVE-[0-9]{4}-[0-9]{4,}$', examples: ['CVE-2026-31431'] })),
    ),
    productLineIds: Type.Optional(Type.Array(Id, { maxItems: 100, uniqueItems: true })),
    firmwareVersionIds: Type.Optional(Type.Array(Id, { maxItems: 1000, uniqueItems: true })),
  },
  { examples: [{ title: 'Remote root over the console' }] },
)
export const DismissCommand = Exactly(
  {
    as: DismissalKind,
    reason: Reason,
    duplicateOfId: Type.Optional(
      Nullable(Id, { description: 'Of a duplicate: the report that it repeats' }),
    ),
  },
  { examples: [{ as: 'Spam', reason: 'An advertisement.' }] },
)
export const ReopenCommand = Exactly(
  { reason: Reason },
  { examples: [{ reason: 'It can be repeated after all.' }] },
)
export const EmbargoCommand = Exactly(
  {
    until: Nullable(Instant, { description: 'null: the days of the policy count again' }),
    reason: Reason,
  },
  { examples: [{ until: '2099-01-01T09:00:00Z', reason: 'Agreed with whoever reported.' }] },
)
export const CreditCommand = Exactly(
  { credit: Nullable(Text(MOST.credit)) },
  { examples: [{ credit: 'Ada of Example Labs' }] },
)
export const EraseContactCommand = Exactly(
  { reason: Reason },
  { examples: [{ reason: 'Whoever reported asked for it.' }] },
)
export const DiscloseCommand = Exactly(
  { disclosedAt: Instant, text: Type.Optional(Nullable(Reason)) },
  { examples: [{ disclosedAt: '2026-11-02T21:40:00Z', text: 'PSIRT-2026-0004' }] },
)

/** Reports wait for those who answer. */
export const DisclosureReportMail = defineMessage(
  'disclosure-reports.mail',
  Type.Object({ workspaceId: Type.String(), personId: Type.String(), mailId: Type.String() }),
)

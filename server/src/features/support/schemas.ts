import { Type } from 'typebox'
import { SUPPORT_STATES } from '../../formats/support/states.ts'
import { Replacing } from '../../platform/http/read-only.ts'
import { ExactShape, Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { SourceFreshness } from '../feeds/index.ts'
import { FirmwareVersionReference } from '../firmware/index.ts'

export const Day = Type.String({ format: 'date', examples: ['2026-09-07'] })

export const SupportStateSchema = OneOf('SupportState', SUPPORT_STATES)

const SupportEntry = Shape(
  'SupportEntry',
  {
    state: SupportStateSchema,
    source: Type.Enum(['endoflife', 'Statement'], {
      description: 'The list of endoflife.date, or what this workspace states itself',
    }),
    label: Type.String({ description: 'The product', examples: ['OpenSSL'] }),
    cycle: Nullable(Type.String({ examples: ['3.0'] })),
    codename: Nullable(Type.String()),
    isLts: Type.Boolean({ description: 'Whether the release cycle has long-term support' }),
    endsOn: Nullable(Day, {
      description: 'The first day without fixes for everybody; null: no day is known',
    }),
    hasEnded: Nullable(Type.Boolean(), {
      description: 'Where no day is known: whether the end has come; null: not known',
    }),
    extendedEndsOn: Nullable(Day, {
      description:
        'The first day without extended support, which may cost money or hold for a part of the product. It does not change the state',
    }),
    latest: Nullable(Type.String({ description: 'The latest version of the release cycle' })),
    endsBeforePromise: Type.Boolean({
      description: 'It ends before the day that the firmware promises (`supportEndsOn`)',
    }),
    why: Type.String({ description: 'Which release cycle, by which source, and why' }),
    link: Nullable(Type.String()),
    note: Nullable(Type.String()),
    statementId: Nullable(Type.String()),
    componentCount: Type.Integer(),
    components: Type.Array(
      Shape('SupportedComponent', { name: Type.String(), version: Nullable(Type.String()) }),
      { description: 'At most 50 of them, by name' },
    ),
  },
  {
    description:
      'State: Ended: out of support on the day. Ending: on a day that is known and not there yet. NoEndPlanned: the source says so. NotKnown: the release cycle or its end is not known, from which nothing follows',
  },
)

export const SupportSummarySchema = Shape(
  'SupportSummary',
  {
    withinDays: Type.Integer(),
    endedCount: Type.Integer({ description: 'Components that are out of support' }),
    endingCount: Type.Integer({
      description: 'Components whose support ends within `withinDays` days',
    }),
    notKnownCount: Type.Integer({ description: 'Components whose end is not known' }),
    ended: Type.Array(
      Shape('EndedSupport', {
        label: Type.String({ description: 'The product', examples: ['OpenSSL'] }),
        cycle: Nullable(Type.String({ examples: ['3.0'] })),
        endsOn: Nullable(Day),
      }),
      { description: 'What is out of support, at most 20, what ended first comes first' },
    ),
  },
  { description: 'Until when components get fixes, in a few numbers' },
)

export const VersionSupport = Shape('VersionSupport', {
  firmwareVersion: FirmwareVersionReference,
  day: { ...Day, description: 'The day (UTC) on which the states hold' },
  supportEndsOn: Nullable(Day, {
    description:
      'Until when components have to get fixes: as is promised for its release line, else for the firmware, else for the product line; null: nothing was promised',
  }),
  deviceCount: Type.Integer({ description: 'Devices that report the version' }),
  source: Nullable(SourceFreshness),
  counts: Shape(
    'SupportCounts',
    {
      ended: Type.Integer(),
      ending: Type.Integer(),
      endingBeforePromise: Type.Integer(),
      noEndPlanned: Type.Integer(),
      notKnown: Type.Integer(),
      notListed: Type.Integer({
        description: 'Components of products that neither the source nor a statement is about',
      }),
    },
    { description: 'Components by state' },
  ),
  entries: Type.Array(SupportEntry, { description: 'By state and day, the earliest first' }),
})

const ChangedSupport = Shape('ChangedSupport', {
  endedCount: Type.Integer({ description: 'Components that are out of support' }),
  endingCount: Type.Integer({ description: 'Components whose support ends within the days' }),
})

export const SupportChangeSchema = Shape(
  'SupportChange',
  { withinDays: Type.Integer(), brought: ChangedSupport, left: ChangedSupport },
  {
    description:
      'Components of products whose support has ended or soon will, that only the version has (`brought`) or only the base (`left`). The same release cycle in both is no change; what is not known is not counted',
  },
)

const Version = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' })

export const SupportStatementCommand = ExactShape(
  'SupportStatementCommand',
  {
    purl: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 1000 }), {
        description: 'Chooses components by a purl without version',
        examples: ['pkg:github/acme/sdk'],
      }),
    ),
    name: Type.Optional(
      Nullable(Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }), {
        description: 'Chooses components by their name; either this or a purl',
      }),
    ),
    versionFrom: Type.Optional(Nullable(Version, { description: 'From this version on' })),
    versionBefore: Type.Optional(Nullable(Version, { description: 'Before this version' })),
    endsOn: Nullable(Day, { description: 'The first day without fixes; null: no end is planned' }),
    link: Type.Optional(
      Nullable(Type.String({ maxLength: 500, pattern: '^https?://' }), {
        description: 'Where that is said',
      }),
    ),
    note: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
  },
  {
    examples: [
      {
        name: 'acme-bsp',
        versionBefore: '3.0',
        endsOn: '2027-06-30',
        link: 'https://acme.example/lifecycle',
        note: 'Contract 4711',
      },
    ],
  },
)

export const SupportStatement = Shape('SupportStatement', {
  id: Type.String(),
  purl: Nullable(Type.String()),
  name: Nullable(Type.String()),
  versionFrom: Nullable(Type.String()),
  versionBefore: Nullable(Type.String()),
  endsOn: Nullable(Day),
  link: Nullable(Type.String()),
  note: Nullable(Type.String()),
  state: SupportStateSchema,
  packageCount: Type.Integer({
    description: 'Packages of the workspace that it is about, in versions that there are now',
  }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  updatedAt: Timestamp,
})

export const ReplaceStatementCommand = Replacing(SupportStatementCommand, SupportStatement)

export const SupportStatementList = Shape('SupportStatementList', {
  statements: Type.Array(SupportStatement),
})

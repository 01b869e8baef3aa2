/**
 * The lines of an offline bundle: a heading, one line per record, and an end with the number of records and the
 * checksum of all lines before it. The bundle is one gzip file, written and read as a stream.
 */
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ADVISORY_SOURCES, SEVERITIES } from '../../../formats/advisories/model.ts'
import { VERSION_SCHEMES } from '../../../formats/versions/schemes.ts'

export const BUNDLE_VERSION = 1
/** Every bundle begins with this text. */
export const BUNDLE_START = '{"plimsollFeedBundle":'

const SOURCES = ['cvelist', 'nvd', 'osv', 'csaf', 'kev', 'epss', 'euvd', 'endoflife'] as const
const Time = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$' })
const Id = Type.String({ minLength: 1, maxLength: 128, pattern: '^[!-~]+$' })
const CveId = Type.String({ pattern: '^CVE-\\d{4}-\\d{4,19}$' })
const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

const Heading = Type.Object({
  plimsollFeedBundle: Type.Integer(),
  createdAt: Time,
  sources: Type.Array(
    Type.Object({
      source: Type.Enum(SOURCES),
      lastSuccessAt: Type.Union([Time, Type.Null()]),
      snapshotAt: Type.Union([Time, Type.Null()]),
      recordCount: Type.Integer({ minimum: 0 }),
      /** Ecosystems of which the source was read to the last record. */
      complete: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 64 }))),
    }),
  ),
})
export type BundleHeading = Static<typeof Heading>

const Text = Type.Optional(Type.String())
const Texts = Type.Optional(Type.Array(Type.String()))

/** All fields that matching reads are checked: a statement it cannot read would block the matching of its packages. */
const Statement = Type.Object({
  scheme: Type.Enum([...VERSION_SCHEMES]),
  defaultStatus: Type.Enum(['affected', 'unaffected', 'unknown']),
  versions: Type.Array(
    Type.Object({
      status: Type.Enum(['affected', 'unaffected', 'unknown']),
      text: Type.String(),
      versions: Texts,
      introduced: Text,
      introducedAfter: Text,
      startIsUnstated: Type.Optional(Type.Boolean()),
      isImplied: Type.Optional(Type.Literal(true)),
      fixed: Text,
      fixedIsDerived: Type.Optional(Type.Boolean()),
      lastAffected: Text,
      cpe: Text,
    }),
  ),
  purl: Text,
  vendor: Text,
  packageName: Text,
  distro: Text,
  module: Text,
  kind: Type.Optional(Type.Enum(['fuzzing', 'informational'])),
  platforms: Type.Optional(Type.Array(Type.Array(Type.String()))),
  programFiles: Texts,
  vulnerableCode: Texts,
  isOfAdp: Type.Optional(Type.Literal(true)),
  undecidable: Text,
})

/** The stored advisory. Columns that are derived from it are left out: the import derives them again. */
const AdvisoryLine = Type.Object({
  source: Type.Enum(ADVISORY_SOURCES),
  hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  feedAt: Type.Union([Time, Type.Null()]),
  record: Type.Object({
    source: Type.Enum(ADVISORY_SOURCES),
    id: Id,
    aliases: Type.Array(Id),
    upstream: Type.Optional(Type.Array(Id)),
    publishedAt: Type.Optional(Time),
    modifiedAt: Type.Optional(Time),
    withdrawnAt: Type.Optional(Time),
    status: Type.Optional(Type.String()),
    isDisputed: Type.Optional(Type.Literal(true)),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    sourceUrl: Type.String(),
    scores: Type.Array(
      Type.Object({
        version: Type.String(),
        vectorString: Type.String(),
        baseScore: Type.Number(),
        baseSeverity: Type.String(),
        source: Type.String(),
      }),
    ),
    statedSeverity: Type.Optional(Type.Enum([...SEVERITIES])),
    ssvc: Type.Optional(
      Type.Array(
        Type.Object({
          source: Type.String(),
          exploitation: Type.Optional(Type.String()),
          automatable: Type.Optional(Type.String()),
          technicalImpact: Type.Optional(Type.String()),
          decidedAt: Type.Optional(Type.String()),
        }),
      ),
    ),
    references: Type.Array(
      Type.Object({
        url: Type.String(),
        source: Type.String(),
        tags: Type.Array(Type.String()),
      }),
    ),
    cweIds: Type.Array(Type.String()),
  }),
  affected: Type.Array(
    Type.Object({
      key: Type.String({ minLength: 1, maxLength: 2_700 }),
      statements: Type.Array(Statement),
    }),
  ),
})
export type AdvisoryLine = Static<typeof AdvisoryLine>

const KevLine = Type.Object({
  source: Type.Literal('kev'),
  cveId: CveId,
  dateAdded: Day,
  dueDate: Type.Union([Day, Type.Null()]),
  details: Type.Record(Type.String(), Type.Unknown()),
})

const EpssLine = Type.Object({
  source: Type.Literal('epss'),
  cveId: CveId,
  score: Type.Number({ minimum: 0, maximum: 1 }),
  percentile: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]),
})

const EuvdLine = Type.Object({
  source: Type.Literal('euvd'),
  cveId: CveId,
  euvdId: Type.Union([Type.String(), Type.Null()]),
  dateAdded: Day,
})

const Fact = Type.Optional(Type.String({ maxLength: 500 }))
const SupportLine = Type.Object({
  source: Type.Literal('endoflife'),
  name: Id,
  label: Type.String(),
  link: Type.Union([Type.String(), Type.Null()]),
  identifiers: Type.Array(Type.Object({ type: Type.String(), id: Type.String() })),
  cycles: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100 }),
      codename: Fact,
      releasedOn: Type.Optional(Day),
      isLts: Type.Boolean(),
      endsOn: Type.Optional(Day),
      hasEnded: Type.Optional(Type.Boolean()),
      activeEndsOn: Type.Optional(Day),
      extendedEndsOn: Type.Optional(Day),
      latest: Fact,
      link: Fact,
      fault: Fact,
    }),
  ),
  goneAt: Type.Union([Time, Type.Null()]),
})
type SupportLine = Static<typeof SupportLine>

const EndLine = Type.Object({
  end: Type.Literal(true),
  records: Type.Integer(),
  sha256: Type.String(),
})
export type BundleEnd = Static<typeof EndLine>

const heading = Compile(Heading)
const end = Compile(EndLine)
const record = Compile(Type.Union([AdvisoryLine, KevLine, EpssLine, EuvdLine, SupportLine]))
export type BundleRecord =
  | AdvisoryLine
  | Static<typeof KevLine>
  | Static<typeof EpssLine>
  | Static<typeof EuvdLine>
  | SupportLine

export function readHeading(line: unknown): BundleHeading | undefined {
  return heading.Check(line) ? line : undefined
}

export function readEnd(line: unknown): BundleEnd | undefined {
  return end.Check(line) ? line : undefined
}

export function readBundleRecord(line: unknown): BundleRecord | undefined {
  return record.Check(line) ? line : undefined
}

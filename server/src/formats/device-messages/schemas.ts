/**
 * The messages as they are on the wire (docs/guide/device-protocol.md, docs/asyncapi.json). Members nobody knows are
 * ignored: devices in the field outlive servers, and the other way round. null is the same as absent.
 */
import { type TSchema, Type } from 'typebox'
import { LIMITS } from './limits.ts'
import { LOG_SEVERITIES } from './model.ts'

/** The length includes the first character. */
const writeNamePattern = (most: number) => `^[A-Za-z_][A-Za-z0-9_.:/-]{0,${most - 1}}$`

const Text = (maxLength: number, options = {}) =>
  Type.String({ minLength: 1, maxLength, ...options })

const RunId = Text(LIMITS.runIdCharacters, {
  description: 'Names one run of the device, from boot to the next; any text, never used again',
})
const Severity = Type.Enum([...LOG_SEVERITIES])
const Time = Type.String({
  format: 'date-time',
  maxLength: 64,
  description: 'RFC 3339; in CBOR also tag 0 or 1. Absent: when it was received',
})
const Sequence = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description:
    'Counts up within a run and series, so that anything that is sent twice is stored once',
})
const Labels = Type.Record(
  Type.String({ pattern: writeNamePattern(LIMITS.labelNameCharacters) }),
  Type.String({ maxLength: LIMITS.labelValueCharacters }),
  { maxProperties: LIMITS.labels, additionalProperties: false },
)

const AttributeValue = Type.Union([
  Type.String({ maxLength: LIMITS.attributeCharacters }),
  Type.Number(),
  Type.Boolean(),
])

export const SessionWire = Type.Object(
  {
    runId: RunId,
    firmware: Type.Optional(
      Type.Array(
        Type.Object({
          slug: Text(LIMITS.slugCharacters),
          version: Text(LIMITS.versionCharacters),
        }),
        {
          minItems: 1,
          maxItems: LIMITS.firmware,
          description:
            'Everything that the device runs, one entry per slug; a slug that is left out no longer runs',
        },
      ),
    ),
    buildId: Type.Optional(
      Text(LIMITS.buildIdCharacters, { description: 'In place of firmware: names the build' }),
    ),
    attributes: Type.Optional(
      Type.Record(
        Type.String({ pattern: `^[\\s\\S]{1,${LIMITS.attributeNameCharacters}}$` }),
        AttributeValue,
        { maxProperties: LIMITS.attributes, additionalProperties: false },
      ),
    ),
  },
  { description: 'What the device runs since it booted; firmware or buildId is required' },
)

export const ConfigReportWire = Type.Object(
  {
    logSeverity: Type.Optional(Severity),
    compiledLogSeverity: Type.Optional(Severity),
    acknowledgedDesiredConfigurationVersion: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647 }),
    ),
  },
  { description: 'What the device is configured to; members left out keep what they were' },
)

const Origin = {
  timestamp: Type.Optional(Time),
  sequence: Type.Optional(Sequence),
  runId: Type.Optional(RunId),
}

const Aggregate = {
  sum: Type.Number(),
  count: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  min: Type.Number(),
  max: Type.Number(),
}
const AggregateWire = Type.Object(Aggregate)

const PointWire = Type.Object(
  {
    name: Type.String({ pattern: writeNamePattern(LIMITS.metricNameCharacters) }),
    labels: Type.Optional(Labels),
    value: Type.Optional(Type.Union([Type.Number(), AggregateWire])),
    ...Type.Partial(AggregateWire).properties,
    ...Origin,
  },
  { description: 'One value, or in its place sum, count, min and max of several' },
)

const LineWire = Type.Object({
  severity: Severity,
  message: Type.String({ maxLength: LIMITS.logCharacters }),
  labels: Type.Optional(Labels),
  ...Origin,
})

export const PointList = Type.Object(
  {
    runId: Type.Optional(RunId),
    points: Type.Array(PointWire, { maxItems: LIMITS.points }),
  },
  { description: 'With the run of all points that name none' },
)
export const MetricsWire = Type.Union([PointList.properties.points, PointList])

export const LineList = Type.Object(
  {
    runId: Type.Optional(RunId),
    lines: Type.Array(LineWire, { maxItems: LIMITS.lines }),
  },
  { description: 'With the run of all lines that name none' },
)
export const LogsWire = Type.Union([LineList.properties.lines, LineList])

const Address = Type.Union(
  [
    Type.String({ pattern: '^(0[xX])?[0-9a-fA-F]{1,16}$', examples: ['0x0800abcd'] }),
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  ],
  { description: 'Hexadecimal digits, of up to 64 bits; or an integer of up to 53 bits' },
)

/** `address`: how strictly addresses are checked. The reader of crashes checks them itself, for clearer faults. */
const createCrashWire = <Checked extends TSchema>(address: Checked) =>
  Type.Object(
    {
      reason: Text(LIMITS.crashReasonCharacters, {
        description: 'What happened, such as HardFault, assert, watchdog or SIGSEGV',
      }),
      slug: Type.Optional(
        Text(LIMITS.slugCharacters, {
          description: 'The firmware that crashed. Absent: the only one that the device runs',
        }),
      ),
      pc: Type.Optional(address),
      lr: Type.Optional(address),
      returnAddresses: Type.Optional(
        Type.Array(address, {
          maxItems: LIMITS.returnAddresses,
          description: 'From the innermost call outwards',
        }),
      ),
      loadAddress: Type.Optional(address),
      thread: Type.Optional(Text(LIMITS.threadCharacters)),
      buildId: Type.Optional(Text(LIMITS.buildIdCharacters)),
      ...Origin,
    },
    { description: 'Why and where the firmware crashed' },
  )

export const LooseCrashWire = createCrashWire(Type.Unknown())

const CrashArray = Type.Array(createCrashWire(Address), { maxItems: LIMITS.crashes })
export const CrashesWire = Type.Union([
  CrashArray,
  Type.Object(
    { runId: Type.Optional(RunId), crashes: CrashArray },
    { description: 'With the run of all crashes that name none' },
  ),
])

/** The crashes are read one by one. */
export const LooseCrashArray = Type.Array(Type.Unknown(), { maxItems: LIMITS.crashes })
export const LooseCrashList = Type.Object({
  runId: Type.Optional(RunId),
  crashes: LooseCrashArray,
})

export const UpdateReportWire = Type.Object(
  {
    updateId: Type.String({ format: 'uuid' }),
    state: Type.Enum(['inProgress', 'succeeded', 'failed']),
    progress: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Percent' })),
    reason: Type.Optional(Type.String({ maxLength: LIMITS.reasonCharacters })),
  },
  { description: 'How far an update is' },
)

export const SyncWire = Type.Object(
  {
    session: Type.Optional(SessionWire),
    config: Type.Optional(ConfigReportWire),
    metrics: Type.Optional(MetricsWire),
    logs: Type.Optional(LogsWire),
    crashes: Type.Optional(CrashesWire),
    update: Type.Optional(UpdateReportWire),
  },
  { description: 'Any of the messages, handled in this order; none of them: a sign of life' },
)

export const DesiredConfigWire = Type.Object(
  {
    version: Type.Integer({ minimum: 1 }),
    logSeverity: Severity,
  },
  { description: 'What the device is to be configured to' },
)

const OfferedArtifactWire = Type.Object({
  order: Type.Integer({ minimum: 0, description: 'Install in this order, counted from 0' }),
  slug: Type.String(),
  version: Type.String(),
  isMain: Type.Boolean(),
  url: Type.String({ description: 'GET it, with ranges; it holds a secret of this update' }),
  size: Type.Integer({ minimum: 0, description: 'Bytes' }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  role: Type.Optional(
    Type.String({
      description: 'What the artifact is: delta, or a part; left out of the full image',
    }),
  ),
  baseVersion: Type.Optional(
    Type.String({ description: 'Of a delta: the version that it begins with' }),
  ),
})

export const DesiredUpdateWire = Type.Union(
  [
    Type.Object({
      updateId: Type.String({ format: 'uuid' }),
      deploymentId: Type.String({ format: 'uuid' }),
      artifacts: Type.Array(OfferedArtifactWire),
    }),
    Type.Object({
      updateId: Type.String({ format: 'uuid' }),
      cancel: Type.Literal(true),
    }),
  ],
  { description: 'An update to install, or to leave' },
)

export const DesiredKeyWire = Type.Object(
  {
    rotate: Type.Literal(true),
    url: Type.String({
      description: 'POST to it with the present key: the answer has the next one',
    }),
  },
  { description: 'The device is to fetch its next key' },
)

export const NextKeyWire = Type.Object(
  { deviceKey: Type.String({ examples: ['plmd_…'] }) },
  {
    description:
      'Store it before you use it, and keep the present key until a request with this one was answered: that first use ends the older ones',
  },
)

const Nothing = Type.Null({ description: 'Nothing to do' })
export const SyncAnswerWire = Type.Object({
  config: Type.Union([DesiredConfigWire, Nothing]),
  update: Type.Union([DesiredUpdateWire, Nothing]),
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
      description:
        'Crashes that are malformed, or that are counted and not kept, as the device or its workspace sent too many; all else of the body is stored',
    }),
  ),
  key: Type.Optional(DesiredKeyWire),
})

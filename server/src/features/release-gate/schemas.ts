import { Type } from 'typebox'
import { SEVERITIES } from '../../formats/advisories/model.ts'
import { GATE_SUPPORT_RULES, IMAGE_DEMANDS, RELEASE_GATES } from '../../formats/gate-rules.ts'
import { Nullable, OneOf, Reference, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { CrashReporting, UnknownBecause } from '../crashes/index.ts'
import { ssvcFields } from '../ssvc/index.ts'
import { DaySchema, SUPPORT_VERDICTS, SupportStateSchema } from '../support/index.ts'

/** A finding in answers about deployments. */
export const shownFinding = {
  id: Type.String(),
  firmwareVersionId: Type.String(),
  cveId: Type.String(),
  name: Type.String(),
  severity: OneOf('Severity', SEVERITIES),
  cvssScore: Nullable(Type.Number()),
  isKnownCisaExploit: Type.Boolean(),
  componentName: Type.String(),
  componentVersion: Nullable(Type.String()),
}

const FailingSupport = Shape('FailingSupport', {
  firmwareVersionId: Type.String(),
  label: Type.String({ description: 'The product', examples: ['OpenSSL'] }),
  cycle: Nullable(Type.String({ examples: ['3.0'] })),
  state: SupportStateSchema,
  endsOn: Nullable(DaySchema, {
    description: 'The first day without fixes; null: no day is known',
  }),
  componentCount: Type.Integer(),
})

const GateSupport = Shape(
  'GateSupport',
  {
    rule: Type.Enum(
      GATE_SUPPORT_RULES.filter((rule) => rule !== 'NotAsked'),
      {
        description:
          'The workspace’s setting `gateSupport`, or that of the release line; the strictest of several',
      },
    ),
    verdict: Type.Enum([...SUPPORT_VERDICTS], {
      description:
        'Fails: something known breaks the rule. NotKnown: nothing known does, and not everything is known; it stops nothing and is no pass',
    }),
    endedCount: Type.Integer({ description: 'Components that are out of support' }),
    endingBeforePromiseCount: Type.Integer({
      description: 'Components whose support ends before the day that was promised',
    }),
    notKnownCount: Type.Integer({ description: 'Components whose end is not known' }),
    withoutPromiseCount: Type.Integer({
      description: 'Versions for which no day was promised, so that nothing can end before it',
    }),
    failing: Type.Array(FailingSupport, {
      description: 'What breaks the rule, at most 20, what ended first comes first',
    }),
  },
  { description: 'What the release gate says of the support of components' },
)

const GateImages = Shape(
  'GateImages',
  {
    demands: Type.Array(OneOf('ImageDemand', IMAGE_DEMANDS), {
      description: 'The setting `gateImages` of the workspace',
    }),
    count: Type.Optional(
      Type.Integer({ description: 'Demands that are not met; absent in older deployments' }),
    ),
    failing: Type.Array(
      Shape('UnmetImageDemand', {
        firmwareVersionId: Type.String(),
        versionName: Type.String(),
        fileName: Nullable(Type.String(), { description: 'null: the version has no artifact' }),
        demand: OneOf('ImageDemand', IMAGE_DEMANDS),
        detail: Type.String({ description: 'Why it is not met, and how to get on' }),
      }),
      { description: 'At most 20' },
    ),
  },
  { description: 'What the release gate says of the images' },
)

const GateCrashes = Shape(
  'GateCrashes',
  {
    count: Type.Integer({ description: 'Open groups that are new, or that cannot be compared' }),
    failing: Type.Array(
      Shape('GateCrash', {
        firmwareVersionId: Type.String(),
        versionName: Type.String(),
        crashGroupId: Type.String(),
        title: Type.String(),
        novelty: Type.Enum(['New', 'Unknown']),
        unknownBecause: Type.Optional(UnknownBecause),
        buildId: Nullable(Type.String(), {
          description: 'The build whose lines are missing; null: none are',
        }),
        deviceCount: Type.Integer(),
      }),
      { description: 'At most 20, those of the most devices first' },
    ),
    versions: Type.Optional(
      Type.Array(
        Shape('GateCrashReporting', {
          firmwareVersionId: Type.String(),
          versionName: Type.String(),
          ...CrashReporting.properties,
        }),
        {
          description:
            'On how many devices the count stands: those that run the version now. Without one that reports crashes it says nothing',
        },
      ),
    ),
  },
  { description: 'What the release gate says of crashes that no earlier version had' },
)

const AcceptedFinding = Shape('AcceptedGateFinding', {
  ...shownFinding,
  reason: Nullable(Type.String()),
  ownerEmail: Nullable(Type.String()),
  until: Nullable(Timestamp),
})

const GateUrgency = Shape(
  'GateUrgency',
  {
    from: Type.String({
      examples: ['Act'],
      description: 'The outcome of the SSVC tree from which on the gate counts (gateFrom)',
    }),
    treeName: Type.String(),
    count: Type.Integer({
      description:
        'Active findings that are as urgent, counted in each firmware version. What is not known counts as its most urgent value',
    }),
    uncertainCount: Type.Integer({
      description: 'Those of them that may be less urgent once all is known',
    }),
    acceptedCount: Type.Integer({
      description: 'Findings as urgent that do not count because they are ignored',
    }),
    findings: Type.Array(Shape('UrgentGateFinding', { ...shownFinding, ...ssvcFields }), {
      description: 'At most 20, the most urgent ones first',
    }),
    accepted: Type.Array(AcceptedFinding, { description: 'At most 20 of those that are ignored' }),
  },
  { description: 'What the release gate says of the urgency of findings by SSVC' },
)

const GateRule = Shape('GateRule', {
  firmwareVersion: Reference,
  mode: Type.Enum([...RELEASE_GATES]),
  supportRule: Type.Enum([...GATE_SUPPORT_RULES]),
  line: Nullable(Reference, {
    description: 'The release line that says otherwise than the workspace; null: the workspace',
  }),
})

export const Gate = Shape(
  'ReleaseGate',
  {
    mode: Type.Enum([...RELEASE_GATES], {
      description: 'The strictest of those that hold for the versions',
    }),
    rules: Type.Optional(
      Type.Array(GateRule, {
        description: 'What holds for each version, and why; absent in older deployments',
      }),
    ),
    critical: Type.Integer({
      description: 'Critical active findings, counted in each firmware version',
    }),
    undecidedCritical: Type.Integer({
      description: 'Those of them that are not assessed, or in triage',
    }),
    knownExploited: Type.Integer({
      description: 'Active findings that CISA or ENISA lists as exploited, counted in the same way',
    }),
    componentCount: Type.Optional(
      Type.Integer({ description: 'Components in the firmware; absent in older deployments' }),
    ),
    notJudgedCount: Type.Optional(
      Type.Integer({ description: 'Those of them of which nothing can be told' }),
    ),
    unknownSeverityCount: Type.Optional(
      Type.Integer({
        description: 'Active findings of unknown severity; absent in older deployments',
      }),
    ),
    failingLicenceCount: Type.Optional(
      Nullable(Type.Integer(), {
        description:
          'Components whose licences may not ship; null: there are no licence rules; absent in older deployments',
      }),
    ),
    findings: Type.Array(Shape('GateFinding', shownFinding), {
      description: 'The worst findings, at most 20, known-exploited ones first',
    }),
    acceptedCount: Type.Optional(
      Type.Integer({
        description:
          'Critical and known-exploited findings that do not count because they are ignored; absent in older deployments',
      }),
    ),
    accepted: Type.Optional(
      Type.Array(AcceptedFinding, {
        description: 'The worst of them, at most 20; absent in older deployments',
      }),
    ),
    ssvc: Type.Optional({
      ...GateUrgency,
      description: 'Absent: the workspace does not ask for it, or did not when it was deployed',
    }),
    support: Type.Optional({
      ...GateSupport,
      description: 'Absent: the workspace does not ask for it, or did not when it was deployed',
    }),
    images: Type.Optional({
      ...GateImages,
      description: 'Absent: the workspace demands nothing, or did not when it was deployed',
    }),
    crashes: Type.Optional({
      ...GateCrashes,
      description: 'Absent: the workspace does not ask for it, or did not when it was deployed',
    }),
    blocked: Type.Boolean({
      description:
        'The deployment needs an acknowledgement with a reason: there are known-exploited findings, critical ones without a decision, findings as urgent by SSVC as the workspace says, licences that may not ship, components whose support breaks the workspace’s rule, crashes that no earlier version had, or images that do not meet what the workspace demands',
    }),
  },
  { description: 'Result of the release gate: critical and known-exploited active findings' },
)

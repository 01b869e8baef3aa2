import { Type } from 'typebox'
import { SEVERITIES } from '../../formats/advisories/model.ts'
import { Nullable, OneOf, Shape, Timestamp } from '../../platform/http/schemas.ts'

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

export const Gate = Shape(
  'ReleaseGate',
  {
    mode: Type.Enum(['Off', 'Warn', 'Block'], { description: 'The workspace’s setting' }),
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
      Type.Array(
        Shape('AcceptedGateFinding', {
          ...shownFinding,
          reason: Nullable(Type.String()),
          ownerEmail: Nullable(Type.String()),
          until: Nullable(Timestamp),
        }),
        { description: 'The worst of them, at most 20; absent in older deployments' },
      ),
    ),
    blocked: Type.Boolean({
      description:
        'The deployment needs an acknowledgement with a reason: there are known-exploited findings, critical ones without a decision, or licences that may not ship',
    }),
  },
  { description: 'Result of the release gate: critical and known-exploited active findings' },
)

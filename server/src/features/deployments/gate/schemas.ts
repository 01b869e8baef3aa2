import { Type } from 'typebox'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { Nullable } from '../../../platform/http/schemas.ts'

/** Of a finding, in answers about deployments. */
export const shownFinding = {
  id: Type.String(),
  firmwareVersionId: Type.String(),
  cveId: Type.String(),
  name: Type.String(),
  severity: Type.Enum([...SEVERITIES]),
  cvssScore: Nullable(Type.Number()),
  isKnownCisaExploit: Type.Boolean(),
  componentName: Type.String(),
  componentVersion: Nullable(Type.String()),
}

export const Gate = Type.Object(
  {
    mode: Type.Enum(['Off', 'Warn', 'Block'], { description: 'The workspace’s setting' }),
    critical: Type.Integer({ description: 'Active findings, counted in each firmware version' }),
    knownExploited: Type.Integer({ description: 'The same of those CISA knows as exploited' }),
    findings: Type.Array(Type.Object(shownFinding), {
      description: 'The worst, at most 20: known-exploited first',
    }),
    blocked: Type.Boolean({ description: 'An acknowledgement with a reason is needed' }),
  },
  { description: 'What the release gate finds: critical and known-exploited holes' },
)

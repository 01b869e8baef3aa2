/** What people decide about findings. */
import { Type } from 'typebox'
import {
  CYCLONEDX_JUSTIFICATIONS,
  OPENVEX_JUSTIFICATIONS,
  VEX_RESPONSES,
} from '../../formats/vex/vocabulary.ts'
import { Exactly } from '../../platform/http/schemas.ts'
import { Assessment } from './list-schemas.ts'

const MOST_CHARACTERS = 10_000

const verdict = {
  assessment: Assessment,
  justification: Type.Optional(
    Type.Enum([...OPENVEX_JUSTIFICATIONS, ...CYCLONEDX_JUSTIFICATIONS], {
      description: 'Only with `NotAffected` or `FalsePositive`',
    }),
  ),
  detail: Type.Optional(Type.String({ maxLength: MOST_CHARACTERS })),
  response: Type.Optional(Type.Enum([...VEX_RESPONSES])),
}

export const AssessVulnerabilityFindingCommand = Exactly(verdict, {
  description: 'It replaces the former assessment with all that belonged to it',
  examples: [
    {
      assessment: 'NotAffected',
      justification: 'vulnerable_code_not_in_execute_path',
      detail: 'The HTTP applet is not built in.',
      response: 'will_not_fix',
    },
  ],
})

export const IgnoreVulnerabilityFindingCommand = Exactly(
  { ignored: Type.Boolean() },
  { examples: [{ ignored: true }] },
)

import { Type } from 'typebox'
import { GATE_SUPPORT_RULES, RELEASE_GATES } from '../../../formats/gate-rules.ts'
import { ReadOnly, Replacing } from '../../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Name,
  Nullable,
  Reference,
  Shape,
} from '../../../platform/http/schemas.ts'

const Patterns = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  maxItems: 5,
  description:
    'A version belongs to the line if one of them is found in its name: regular expressions with . [] () | * + ? ^ $ \\d and \\w. Counts, look-around and back-references are refused',
  examples: [['^2\\.']],
})
const SupportEndsOn = Nullable(Type.String({ format: 'date', examples: ['2031-12-31'] }), {
  description: 'The first day without fixes for what runs the line; null: as the firmware says',
})

const gate = {
  releaseGate: Nullable(Type.Enum([...RELEASE_GATES]), {
    description:
      'What the release gate does with versions of the line; null: as the workspace says',
  }),
  gateSupport: Nullable(Type.Enum([...GATE_SUPPORT_RULES]), {
    description: 'What it asks of the support of their components; null: as the workspace says',
  }),
}

const LinesCommand = Exactly(
  {
    lines: Type.Array(
      ExactShape('StatedFirmwareLine', {
        id: Type.Optional(
          Type.String({
            description: 'Of a line that there is; without it, the line of this name, or a new one',
          }),
        ),
        name: Name,
        patterns: Type.Optional(Patterns),
        supportEndsOn: Type.Optional(SupportEndsOn),
        releaseGate: Type.Optional(gate.releaseGate),
        gateSupport: Type.Optional(gate.gateSupport),
        versionCount: ReadOnly,
        statedCount: ReadOnly,
        newest: ReadOnly,
      }),
      {
        maxItems: 20,
        description: 'In the order in which they are tried: the first that matches takes a version',
      },
    ),
  },
  {
    examples: [
      {
        lines: [
          { name: '2.x LTS', patterns: ['^2\\.'], supportEndsOn: '2031-12-31' },
          { name: '3.x', patterns: ['^3\\.'] },
        ],
      },
    ],
  },
)

const versions = {
  versionCount: Type.Integer(),
  statedCount: Type.Integer({ description: 'Those of them that are stated to belong to it' }),
  newest: Nullable(Reference, { description: 'The newest of them; null: there is none' }),
}
const VersionsWithoutLine = Shape('VersionsWithoutLine', versions, {
  description: 'Versions that belong to no line; together they are treated as one',
})

export const FirmwareLines = Shape('FirmwareLines', {
  lines: Type.Array(
    Shape('FirmwareLine', {
      id: Type.String(),
      name: Name,
      patterns: Patterns,
      supportEndsOn: SupportEndsOn,
      ...gate,
      ...versions,
    }),
  ),
  withoutLine: VersionsWithoutLine,
})

export const ReplaceLinesCommand = Replacing(LinesCommand, FirmwareLines)

export const FirmwareLinesPreview = Shape('FirmwareLinesPreview', {
  versionCount: Type.Integer({ description: 'All versions of the firmware' }),
  movedCount: Type.Integer({ description: 'Versions that would belong to another line than now' }),
  matchedTwiceCount: Type.Integer({
    description: 'Versions that patterns of several lines match; the first line takes them',
  }),
  lines: Type.Array(Shape('PreviewedLine', { name: Name, ...versions })),
  withoutLine: VersionsWithoutLine,
  refusedLines: Type.Array(Type.Object({ name: Name, statedCount: Type.Integer() }), {
    description: 'Lines that cannot go, as versions are stated to belong to them',
  }),
  endedDecisionCount: Type.Integer({
    description:
      'Decisions for findings to come in versions of lines that would go. They end; what they decided stays',
  }),
  moved: Type.Array(
    Shape('MovedVersion', {
      firmwareVersion: Reference,
      from: Nullable(Name),
      to: Nullable(Name),
    }),
    { description: 'The newest of them, at most 100' },
  ),
})

export const LineOfVersion = Nullable(Reference, {
  description: 'The release line that it belongs to; null: none',
})

export const DecidedLine = Shape('DecidedLine', {
  id: Type.String(),
  name: Nullable(Type.String(), { description: 'null: the line is gone' }),
})

import { Type } from 'typebox'
import { Replacing } from '../../platform/http/read-only.ts'
import { Exactly, Nullable, Shape, Timestamp } from '../../platform/http/schemas.ts'

const Text = (most: number, description: string) =>
  Type.String({ minLength: 1, maxLength: most, pattern: '\\S', description })

const command = {
  reportedAt: Type.String({
    format: 'date-time',
    examples: ['2026-11-02T21:40:00Z'],
    description: 'Not in the future',
  }),
  recipient: Text(200, 'Whoever makes or maintains the component'),
  text: Text(20_000, 'What was reported'),
  fix: Type.Optional(
    Nullable(Text(20_000, 'Code or documentation that was shared to mend it'), {
      description: 'null: none was shared',
    }),
  ),
}
const example = {
  reportedAt: '2026-11-02T21:40:00Z',
  recipient: 'security@upstream.example',
  text: 'The applet reads past the end of its buffer.',
}

export const CreateUpstreamReportCommand = Exactly(command, { examples: [example] })

export const UpstreamReport = Shape('UpstreamReport', {
  id: Type.String(),
  cveId: Type.String(),
  findingId: Type.String({ description: 'The finding that it was recorded at' }),
  firmwareVersionId: Type.String(),
  firmwareName: Type.String(),
  versionName: Type.String(),
  componentName: Type.String(),
  componentVersion: Nullable(Type.String()),
  reportedAt: Timestamp,
  recipient: Type.String(),
  text: Type.String(),
  fix: Nullable(Type.String()),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  updatedAt: Timestamp,
})

export const UpdateUpstreamReportCommand = Replacing(
  Exactly(command, { examples: [example] }),
  UpstreamReport,
)

export const UpstreamReportList = Shape('UpstreamReportList', {
  upstreamReports: Type.Array(UpstreamReport),
  hasMore: Type.Boolean({ description: 'There are more than are listed' }),
})

export const UpstreamReportQuery = Exactly({
  cveId: Type.Optional(
    Type.String({ maxLength: 150, description: 'Only of this vulnerability, by any of its ids' }),
  ),
})

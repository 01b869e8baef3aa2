import { Type } from 'typebox'
import { Exactly, Nullable, Timestamp } from '../../../platform/http/schemas.ts'

const Identifier = Type.String({ minLength: 1, maxLength: 2000 })
const Text = Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' })

const override = {
  purls: Type.Array(Identifier, {
    maxItems: 20,
    description: 'Identifiers it has besides the declared ones',
    examples: [['pkg:github/acme/thing']],
  }),
  cpes: Type.Array(Identifier, { maxItems: 20 }),
  version: Nullable(Text, {
    description: 'What counts instead of the declared version and those in declared identifiers',
  }),
  ignored: Type.Boolean({ description: 'It is not matched at all' }),
  reason: Nullable(Text),
}

const SELECTED = {
  purl: Nullable(Identifier, { examples: ['pkg:generic/thing'] }),
  cpe: Nullable(Identifier, { examples: ['acme:thing'] }),
  name: Nullable(Text),
  version: Nullable(Text, { description: 'As declared' }),
}

export const PackageOverrideCommand = Exactly(
  {
    selector: Type.Partial(Exactly(SELECTED), {
      additionalProperties: false,
      description:
        'Which components it is for: those that meet all that is stated. A purl without version, vendor:product of a CPE, or a name; each with or without the declared version',
    }),
    ...Type.Partial(Type.Object(override)).properties,
  },
  {
    examples: [
      {
        selector: { name: 'libfoo', version: '1.2' },
        cpes: ['cpe:2.3:a:acme:foo:1.2.0:*:*:*:*:*:*:*'],
      },
    ],
  },
)

export const PackageOverride = Type.Object({
  id: Type.String(),
  selector: Type.Object(SELECTED),
  ...override,
  componentCount: Type.Integer({ description: 'How many components it is for by now' }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  updatedAt: Timestamp,
})

export const PackageOverrideList = Type.Object({ overrides: Type.Array(PackageOverride) })

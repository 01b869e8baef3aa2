import { Type } from 'typebox'
import { Replacing } from '../../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Nullable,
  Saying,
  Shape,
  Timestamp,
} from '../../../platform/http/schemas.ts'

const Identifier = Type.String({ minLength: 1, maxLength: 2000 })
const Text = Type.String({ minLength: 1, maxLength: 1000, pattern: '\\S' })

const override = {
  purls: Type.Array(Identifier, {
    maxItems: 20,
    description: 'Identifiers in addition to the declared ones',
    examples: [['pkg:github/acme/thing']],
  }),
  cpes: Type.Array(Identifier, { maxItems: 20 }),
  version: Nullable(Text, {
    description: 'Replaces the declared version and the versions in declared identifiers',
  }),
  ignored: Type.Boolean({ description: 'The components are not matched' }),
  reason: Nullable(Text),
  anyVersion: Type.Boolean({
    description:
      'true: an override with a version applies whatever version a component declares. Otherwise it applies to the declared versions that it met first, as madeFor shows; a selector with a version needs neither',
  }),
}

const SELECTED = {
  purl: Nullable(Identifier, { examples: ['pkg:generic/thing'] }),
  cpe: Nullable(Identifier, { examples: ['acme:thing'] }),
  name: Nullable(Text),
  version: Nullable(Text, { description: 'The declared version' }),
}

export const PackageOverrideCommand = ExactShape(
  'PackageOverrideCommand',
  {
    selector: Saying(
      Type.Partial(Exactly(SELECTED), {
        $id: 'PackageSelector',
        additionalProperties: false,
        description:
          'Selects components that meet all stated criteria: a purl without version, vendor:product of a CPE, or a name; each with or without the declared version',
      }),
      { anyOf: ['purl', 'cpe', 'name'].map((name) => ({ required: [name] })) },
    ),
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

export const PackageOverride = Shape('PackageOverride', {
  id: Type.String(),
  selector: Type.Object(SELECTED),
  ...override,
  componentCount: Type.Integer({ description: 'The number of components it applies to now' }),
  madeFor: Nullable(Type.Array(Type.String()), {
    description:
      'The declared versions it applies to; an empty text stands for components without one. null: any, or it has met no component yet',
  }),
  otherVersions: Type.Array(
    Type.Object({ version: Type.String(), componentCount: Type.Integer() }),
    {
      description:
        'Warning: the selector also meets components of these declared versions, to which the override is not applied. Make an override for them',
    },
  ),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  updatedAt: Timestamp,
})

export const ReplaceOverrideCommand = Replacing(PackageOverrideCommand, PackageOverride)

export const PackageOverrideQuery = Exactly({
  firmwareVersionId: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Counts components and other versions in this firmware version only',
    }),
  ),
})

export const PackageOverrideList = Shape('PackageOverrideList', {
  overrides: Type.Array(PackageOverride),
})

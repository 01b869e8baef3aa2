import { Type } from 'typebox'
import { COMPONENT_SCOPES } from '../../formats/sboms/model.ts'
import { Exactly, Nullable, OneOf, PageRequest, Shape } from '../../platform/http/schemas.ts'

export const ListSbomComponentsCommand = Exactly(
  {
    ...PageRequest,
    notMatchedReason: Type.Optional(
      Type.String({
        maxLength: 1000,
        description:
          'Only components with this reason; "invalid identifier" and "ignored" also match with any text after them',
      }),
    ),
    hasNotMatchedReason: Type.Optional(
      Type.Boolean({
        description: 'true: only components that are not matched; false: only those that are',
      }),
    ),
  },
  { examples: [{ limit: 100, hasNotMatchedReason: true }] },
)

const component = {
  vendor: Nullable(Type.String()),
  packageName: Type.String({ examples: ['busybox'] }),
  version: Nullable(Type.String({ examples: ['1.36.1'] })),
  purl: Nullable(Type.String()),
  cpe: Nullable(Type.String({ examples: ['cpe:2.3:a:busybox:busybox:1.36.1:*:*:*:*:*:*:*'] })),
  pathsToRoot: Type.Array(Type.Array(Type.String()), {
    description:
      'The shortest path to a root through each direct parent, at most 20; each from the component up to the root',
  }),
  cpes: Type.Array(Type.String()),
  licenses: Type.Array(Type.String()),
  hashes: Type.Array(Shape('Hash', { algorithm: Type.String(), value: Type.String() })),
  supplier: Nullable(Type.String()),
  downloadLocation: Nullable(Type.String()),
  scope: Nullable(OneOf('ComponentScope', COMPONENT_SCOPES)),
  notMatchedReason: Nullable(
    Type.String({
      description:
        'Why the component is not matched against vulnerabilities; null when it is. A component whose version is a commit is matched only with records that name this commit',
    }),
  ),
  overrideId: Nullable(Type.String({ description: 'The override that identifies this component' })),
  undecided: Type.Record(Type.String(), Type.Integer(), {
    description:
      'How many records name the component but could not be compared with its version, by reason',
    examples: [{ 'version is a commit': 12 }],
  }),
}

export const FirmwareVersionComponents = Shape('FirmwareVersionComponents', {
  components: Type.Array(Shape('FirmwareVersionComponent', component)),
})

export const SbomComponentPage = Shape('SbomComponentPage', {
  components: Type.Array(Shape('SbomComponent', { id: Type.String(), ...component })),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

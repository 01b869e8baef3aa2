import { Type } from 'typebox'
import {
  Containing,
  Exactly,
  ExactShape,
  Nullable,
  PageRequest,
  Shape,
} from '../../../platform/http/schemas.ts'
import { FirmwareVersionReference } from '../../firmware/index.ts'

const Text = Type.String({ minLength: 1, maxLength: 1000 })
const MAX_ITEMS = 100
const Contains = Type.Array(Containing, {
  maxItems: 20,
})
const Ids = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 1000 })

export const ListWorkspaceComponentsCommand = Exactly(
  {
    ...PageRequest,
    filter: Type.Optional(
      ExactShape(
        'WorkspaceComponentFilter',
        {
          components: Type.Optional(
            Type.Array(
              Exactly({
                vendor: Type.Optional(Text),
                packageName: Type.Optional(Text),
                version: Type.Optional(Text),
              }),
              { maxItems: MAX_ITEMS, description: 'Exact texts as an SBOM declares them' },
            ),
          ),
          name: Type.Optional(Contains),
          licenses: Type.Optional(Contains),
          purls: Type.Optional(
            Type.Array(Text, {
              maxItems: MAX_ITEMS,
              examples: [['pkg:deb/debian/xz-utils', 'pkg:npm/left-pad@1.3.0']],
              description:
                'Components whose package has this purl, whether they declare it or not. A purl without version finds all versions. Qualifiers are ignored',
            }),
          ),
          cpes: Type.Optional(
            Type.Array(Text, {
              maxItems: MAX_ITEMS,
              examples: [['tukaani:xz', 'cpe:2.3:a:tukaani:xz:5.6.0:*:*:*:*:*:*:*']],
              description:
                'vendor:product or a CPE name: components whose package has it, whether they declare it or not',
            }),
          ),
          cveIds: Type.Optional({
            ...Ids,
            description: 'Ids or aliases of vulnerabilities that match the component',
          }),
          firmwareIds: Type.Optional({ ...Ids, description: 'Ids, slugs or names' }),
          firmwareVersionIds: Type.Optional({ ...Ids, description: 'Ids, or slug@name' }),
        },
        { description: 'A component must meet one entry of each list' },
      ),
    ),
  },
  {
    examples: [{ limit: 100, filter: { components: [{ packageName: 'xz', version: '5.6.0' }] } }],
  },
)

export const WorkspaceComponentPage = Shape('WorkspaceComponentPage', {
  components: Type.Array(
    Shape('WorkspaceComponent', {
      id: Type.String(),
      packageName: Type.String({ examples: ['xz'] }),
      vendor: Nullable(Type.String()),
      version: Nullable(Type.String({ examples: ['5.6.0'] })),
      purl: Nullable(Type.String()),
      cpe: Nullable(Type.String()),
      cpes: Type.Array(Type.String()),
      licenses: Type.Array(Type.String()),
      scope: Nullable(Type.String()),
      notMatchedReason: Nullable(Type.String()),
      overrideId: Nullable(Type.String()),
      sbom: Shape('SbomReference', { id: Type.String(), fileName: Type.String() }),
      firmwareVersion: FirmwareVersionReference,
      affectedDeviceCount: Type.Integer({
        description: 'Devices that report the firmware version',
      }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

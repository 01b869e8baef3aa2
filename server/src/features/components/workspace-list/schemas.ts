import { Type } from 'typebox'
import { LICENCE_OUTCOMES } from '../../../formats/licences/licence-rules.ts'
import { SUPPORT_STATES } from '../../../formats/support/states.ts'
import {
  Containing,
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
  Shape,
} from '../../../platform/http/schemas.ts'
import { FirmwareVersionReference } from '../../firmware/index.ts'
import { LicenceCounts } from '../../licences/index.ts'

const SupportStateSchema = OneOf('SupportState', SUPPORT_STATES)
const LicenceOutcomeSchema = OneOf('LicenceOutcome', LICENCE_OUTCOMES)
const Day = Type.String({ format: 'date', examples: ['2026-09-07'] })

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
          supportStates: Type.Optional(
            Type.Array(SupportStateSchema, {
              maxItems: SUPPORT_STATES.length,
              description: 'By the end of their support. NotKnown: of which nothing is known, too',
            }),
          ),
          supportEndsBefore: Type.Optional({
            ...Day,
            description:
              'Components whose support ends before the day, or has ended already. Those of which nothing is known are not among them',
          }),
          licenceOutcomes: Type.Optional(
            Type.Array(LicenceOutcomeSchema, {
              maxItems: LICENCE_OUTCOMES.length,
              description:
                'By what the licence rules say, with firmwareIds or firmwareVersionIds. What does not ship is not judged, and nothing is where there are no rules',
            }),
          ),
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
      supportState: SupportStateSchema,
      supportEndsOn: Nullable(Day, {
        description: 'The first day without fixes; null: no day is known',
      }),
      supportedAs: Nullable(Type.String({ examples: ['OpenSSL 3.0'] }), {
        description:
          'The product and its release cycle, or what a stated end is about; null: nobody lists it, so that nothing is known',
      }),
      licenceOutcome: Nullable(LicenceOutcomeSchema, {
        description: 'null: there are no licence rules, or the component does not ship',
      }),
    }),
  ),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})

export const FirmwareVersionComponentCounts = Shape('FirmwareVersionComponentCounts', {
  componentCount: Type.Integer({ description: 'As SBOMs declare them; lists have as many' }),
  day: { ...Day, description: 'The day (UTC) on which the states hold' },
  supportStates: Shape('ComponentSupportCounts', {
    Ended: Type.Integer(),
    Ending: Type.Integer(),
    NoEndPlanned: Type.Integer(),
    NotKnown: Type.Integer(),
  }),
  endingSoon: Shape('ComponentsEndingSoon', {
    before: { ...Day, description: '91 days from now' },
    count: Type.Integer({ description: 'Components that are supported now, and not then' }),
  }),
  licenceOutcomes: Nullable(LicenceCounts, { description: 'null: there are no licence rules' }),
})

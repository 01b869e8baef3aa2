import { Type } from 'typebox'
import { Nullable, OneOf, Shape } from '../../platform/http/schemas.ts'
import { TRAIT_KINDS } from './traits.ts'

const TraitKind = OneOf('DeviceTraitKind', TRAIT_KINDS)

const FailureTrait = Shape('FailureTrait', {
  kind: TraitKind,
  name: Nullable(Type.String(), { description: 'Of an attribute; of versions the firmware' }),
  value: Type.String(),
  failedCount: Type.Integer({ description: 'Failed devices that have it' }),
  failedOf: Type.Integer({ description: 'Failed devices of which it is known' }),
  otherCount: Type.Integer({ description: 'Devices that took the versions and have it' }),
  otherOf: Type.Integer({ description: 'Devices that took the versions and of which it is known' }),
})

export const DeploymentFailures = Shape('DeploymentFailures', {
  failedCount: Type.Integer({ description: 'As `deviceCounts` of the deployment has it' }),
  comparedFailedCount: Type.Integer({
    description: 'Failed devices that were compared, at most 2,000',
  }),
  comparedOtherCount: Type.Integer({
    description: 'Devices that took the versions and were compared with them, at most 2,000',
  }),
  comparedKinds: Type.Array(TraitKind, {
    description: 'Of which something is known of the failed devices',
  }),
  groups: Type.Array(
    Shape('FailureGroup', {
      reason: Type.String({ description: 'Empty: none was given' }),
      count: Type.Integer(),
      changedCount: Type.Integer({
        description:
          'Of these, the devices for which something has changed since: they report another version of a firmware, or the binary was replaced',
      }),
      attempts: Type.Integer({ description: 'The most attempts that one of them made' }),
      traits: Type.Array(FailureTrait, {
        description:
          'What sets them apart from those that took the versions, the clearest first; at most 5',
      }),
    }),
    { description: 'Most frequent first, at most 20' },
  ),
})

import { Type } from 'typebox'
import { Nullable, Reference, Shape, Timestamp } from '../../platform/http/schemas.ts'
import { DeploymentStateSchema } from '../deployments/index.ts'
import { AffectedComponent, AffectedFirmwareVersion } from '../vulnerabilities/index.ts'

const takers = {
  hasArtifact: Type.Boolean({ description: 'There is a file that devices could install' }),
  deviceCount: Type.Integer({ description: 'Devices that it is for' }),
  cohorts: Type.Array(
    Shape('CohortTakers', {
      deploymentCohort: Nullable(Reference, { description: 'null: devices in no cohort' }),
      isUnderWay: Type.Boolean({ description: 'The active deployment of the cohort holds it' }),
      deviceCount: Type.Integer(),
      readyDeviceCount: Type.Integer({
        description:
          'Of these, those that can take it now: in a cohort, heard in the last seven days, and without a client that is known to install less',
      }),
      silentDeviceCount: Type.Integer({ description: 'Not heard in the last seven days' }),
      limitedDeviceCount: Type.Integer({
        description: 'With a hawkBit client that is known not to install it',
      }),
    }),
    { description: 'Those with most devices that can take it now first' },
  ),
}

export const VersionTakers = Shape('FirmwareVersionTakers', takers)

export const VersionDeployments = Shape('FirmwareVersionDeployments', {
  deployments: Type.Array(
    Shape('FirmwareVersionDeployment', {
      id: Type.String(),
      name: Type.String(),
      deploymentCohort: Reference,
      state: DeploymentStateSchema,
      isActive: Type.Boolean(),
      isRollback: Type.Boolean({ description: 'It went back to the version' }),
      createdAt: Timestamp,
      endedAt: Nullable(Timestamp),
      deviceCount: Type.Integer({ description: 'Its updates: one for each device' }),
      succeededCount: Type.Integer({ description: 'Of these, the updates that succeeded' }),
    }),
    { description: 'Active ones first, then the newest; at most 50' },
  ),
  hasMore: Type.Boolean(),
})

export const VulnerabilityFixes = Shape('VulnerabilityFixes', {
  fixes: Type.Array(
    Shape('VulnerabilityFix', {
      firmwareVersion: AffectedFirmwareVersion,
      component: Nullable(AffectedComponent, {
        description: 'Its component of the same name; null: it has none',
      }),
      ...takers,
    }),
    {
      description:
        'For each firmware with a later version that holds the fix: the newest of these that has a file, and the devices that run a version in which the vulnerability is active. Devices of a release line are told the newest of their line, where it has one. Those for most devices first',
    },
  ),
})

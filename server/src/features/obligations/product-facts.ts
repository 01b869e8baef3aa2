/** What is told of products: how they are released and updated, what is in them, and what is mended. */
import { formatCountOf } from '../../formats/counts.ts'
import {
  tell,
  tellCount,
  tellPart,
  tellUnknown,
  type ToldFact,
  type WorkspaceFacts,
} from './told-fact.ts'

export function tellReleases({ firmware }: WorkspaceFacts): ToldFact[] {
  const { firmwareCount, blockCount, warnCount, offCount, newestCount } = firmware
  if (firmwareCount === 0)
    return [tellUnknown('gate', 'There is no firmware: nothing to tell of', '/firmware')]
  const page = '/firmware'
  return [
    tellPart(
      {
        name: 'gate-blocks',
        text: 'firmwares: the release gate blocks their newest version',
        page: '/settings',
      },
      blockCount,
      firmwareCount,
    ),
    tellPart(
      { name: 'gate-warns', text: 'firmwares: it warns and lets through', page: '/settings' },
      warnCount,
      firmwareCount,
    ),
    tellPart(
      { name: 'gate-off', text: 'firmwares: it is off', page: '/settings' },
      offCount,
      firmwareCount,
    ),
    tellPart(
      {
        name: 'exploited',
        text: 'newest versions have findings that are known to be exploited and count',
        page,
      },
      firmware.exploitedCount,
      newestCount,
    ),
    tellPart(
      {
        name: 'not-judged',
        text: 'newest versions have no SBOM that was read, or components of which nothing can be told',
        page,
      },
      firmware.unknownCount,
      newestCount,
    ),
  ]
}

export function tellUpdates({ versions }: WorkspaceFacts): ToldFact[] {
  const { versionCount, rolledOutCount, artifactCount, deviceCount, newestDeviceCount } = versions
  return [
    tellPart(
      { name: 'rolled-out', text: 'versions were rolled out by Plimsoll', page: '/deployments' },
      rolledOutCount,
      versionCount,
    ),
    tellPart(
      {
        name: 'artifacts',
        text: 'versions have an artifact here, with its SHA-256',
        page: '/firmware',
      },
      artifactCount,
      versionCount,
    ),
    deviceCount === 0
      ? tellUnknown(
          'devices-on-newest',
          'No device reports a version: how many have the newest is not known',
          '/devices',
        )
      : tellPart(
          {
            name: 'devices-on-newest',
            text: 'reports of devices name the newest version of their firmware',
            page: '/devices',
          },
          newestDeviceCount,
          deviceCount,
        ),
    tellUnknown(
      'signatures',
      'Whether devices check signatures is not known; what Plimsoll checked stands on each version',
    ),
  ]
}

export function tellSboms({ firmware }: WorkspaceFacts): ToldFact[] {
  const { newestCount, sbomCount, topLevelCount, completenessCount, unreadCount } = firmware
  const page = '/firmware'
  if (newestCount === 0)
    return [tellUnknown('sboms', 'There is no firmware version: nothing to tell of', page)]
  return [
    tellPart(
      { name: 'sboms', text: 'newest versions have an SBOM that was read', page },
      sbomCount,
      newestCount,
    ),
    tellPart(
      { name: 'top-level', text: 'name dependencies of the product itself in it', page },
      topLevelCount,
      newestCount,
    ),
    tellPart(
      {
        name: 'completeness',
        text: 'say of every component whether its dependencies are complete',
        page,
      },
      completenessCount,
      newestCount,
    ),
    ...(unreadCount > 0
      ? [
          tellPart(
            { name: 'unread', text: 'have an SBOM that is not read, or could not be', page },
            unreadCount,
            newestCount,
          ),
        ]
      : []),
  ]
}

export const tellRemedies = ({
  firmware: { undecidedCount },
  versions,
}: WorkspaceFacts): ToldFact[] => [
  tellCount(
    {
      name: 'undecided',
      text: `${formatCountOf(undecidedCount, 'critical or high finding')} of newest versions ${undecidedCount === 1 ? 'is' : 'are'} undecided`,
      page: '/findings',
    },
    undecidedCount,
  ),
  tellPart(
    {
      name: 'security-only',
      text: 'versions that were rolled out are said to mend security alone',
      page: '/firmware',
    },
    versions.securityOnlyCount,
    versions.rolledOutCount,
  ),
  tellPart(
    { name: 'security-unsaid', text: 'of these: nobody has said it', page: '/firmware' },
    versions.securityUnsaidCount,
    versions.rolledOutCount,
  ),
  tell({
    name: 'times',
    text: 'How long decisions, fixes and updates took is told by the figures of a period',
    page: '/figures',
  }),
]

export const tellReviews = ({ sources: { count, staleCount } }: WorkspaceFacts): ToldFact[] => [
  tellPart(
    {
      name: 'stale-sources',
      text: 'vulnerability sources are too old or were never read; versions are judged again with each record of the others',
      page: '/settings',
    },
    staleCount,
    count,
  ),
  tellUnknown('tests', 'Tests and reviews outside of Plimsoll are not known'),
]

import type { ChainLink, FirmwareChain } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Dot, type Tone } from '../../components/tag.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { chainQuery } from '../../components/artifacts/queries.ts'
import css from './version-chain.module.css'

/** What links the SBOMs, the images and the devices of a version. */
export function VersionChain({ versionId }: { versionId: string }) {
  const mayRead = useMay('Firmware: read')
  const { data } = useQuery({ ...chainQuery(useWorkspaceId(), versionId), enabled: mayRead })
  if (!data || (data.sboms.length === 0 && data.images.length === 0)) return null
  return <Chain chain={data} versionId={versionId} />
}

interface ChainProps {
  chain: FirmwareChain
  versionId: string
}

function Chain({ chain: { sboms, images, devices, links }, versionId }: ChainProps) {
  const workspaceId = useWorkspaceId()
  const mayReadDevices = useMay('Devices: read')
  const contradicting = devices.ofOther + devices.unknown + devices.notAHash
  const ofStep = (step: ChainLink['step']) => links.filter((link) => link.step === step)
  return (
    <details className={css['chain']}>
      <summary>
        From SBOM to device
        <Worst title="SBOM → image" links={ofStep('SbomToImage')} />
        <Worst title="Image → devices" links={ofStep('ImageToDevices')} />
      </summary>
      <ol aria-label="From SBOM to device">
        <Node
          title="SBOM"
          names={sboms.map(({ fileName }) => fileName)}
          none="none that was read"
        />
        <Links links={ofStep('SbomToImage')} isNamed={images.length + sboms.length > 2} />
        <Node title="Image" names={images.map(({ fileName }) => fileName)} none="none uploaded" />
        <Links links={ofStep('ImageToDevices')} isNamed={false} />
        <Node
          title="Devices"
          names={devices.running > 0 ? [formatCountOf(devices.running, 'device')] : []}
          none="none yet"
        />
      </ol>
      {contradicting > 0 && mayReadDevices && (
        <p className={css['more']}>
          <Link
            to="/w/$workspaceId/devices"
            params={{ workspaceId }}
            search={{ show: 'otherImage', version: versionId }}
          >
            Show the {formatCountOf(contradicting, 'device')} with another image
          </Link>
        </p>
      )}
      <p className={css['more']}>
        <Link from="/w/$workspaceId/versions/$versionId" to="." search={{ tab: 'artifacts' }}>
          Statements and files
        </Link>
      </p>
    </details>
  )
}

const WORST_FIRST: readonly ChainLink['state'][] = [
  'Differs',
  'Missing',
  'Unknown',
  'Stated',
  'Proved',
]

/** The state of a step is that of its worst link. */
function Worst({ title, links }: { title: string; links: ChainLink[] }) {
  const state = WORST_FIRST.find((one) => links.some((link) => link.state === one)) ?? 'Missing'
  return (
    <State state={state}>
      {title}: {STATES[state].text}
    </State>
  )
}

const MOST_NAMES = 3

function Node({ title, names, none }: { title: string; names: string[]; none: string }) {
  const more = names.length - MOST_NAMES
  return (
    <li className={css['node']} data-node={title}>
      <strong>{title}</strong> {names.length === 0 ? none : names.slice(0, MOST_NAMES).join(', ')}
      {more > 0 && ` and ${formatCountOf(more, 'more', 'more')}`}
    </li>
  )
}

const STATES: Record<ChainLink['state'], { tone: Tone; text: string }> = {
  Proved: { tone: 'ok', text: 'Proved' },
  Stated: { tone: 'accent', text: 'Stated, not proved' },
  Missing: { tone: 'warn', text: 'Missing' },
  Unknown: { tone: 'muted', text: 'Not known yet' },
  Differs: { tone: 'danger', text: 'Differs' },
}

const State = ({ state, children }: { state: ChainLink['state']; children: ReactNode }) => (
  <Dot tone={STATES[state].tone} isHollow={state === 'Missing' || state === 'Unknown'}>
    {children}
  </Dot>
)

function Links({ links, isNamed }: { links: ChainLink[]; isNamed: boolean }) {
  return links.map(({ step, from, to, state, why, next }) => (
    <li key={`${from} ${to} ${why}`} className={css['link']} data-state={state} data-step={step}>
      <State state={state}>
        {STATES[state].text}
        {isNamed && `: ${[from, to].filter((one) => one !== null).join(' → ')}`}
      </State>
      <span>{why}</span>
      {next !== null && <span className={css['next']}>{next}</span>}
    </li>
  ))
}

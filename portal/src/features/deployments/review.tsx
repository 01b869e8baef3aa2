import type { DeploymentPreview } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import { describeReporting, NOT_COMPARED } from '../../components/crashes/reporting.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './deployments.module.css'
import { NetList } from './net-list.tsx'
import { describeGateSupport } from './words.ts'

/** What changes on the devices of the cohort, and what the release gate says. */
export function Review({ preview }: { preview: DeploymentPreview }) {
  const { deviceCount, net, gate, artifacts } = preview
  return (
    <div className={css['steps']}>
      <p>
        <strong>
          {formatCountOf(net.removed.count, 'vulnerability', 'vulnerabilities')} go,{' '}
          {formatCountOf(net.introduced.count, 'comes', 'come')}
        </strong>{' '}
        on {formatCountOf(deviceCount, 'device')}.
      </p>
      {artifacts.map(({ firmware, running, notReportingCount }) => (
        <ul key={firmware.id} className={css['note']}>
          {running.map((one) => (
            <li key={one.firmwareVersion?.id ?? 'unknown'}>
              {formatCountOf(one.deviceCount, 'device')} {one.deviceCount === 1 ? 'runs' : 'run'}{' '}
              {one.firmwareVersion ? (
                <code>{one.firmwareVersion.name}</code>
              ) : (
                'a version that is not known here, so what changes for them cannot be told'
              )}
            </li>
          ))}
          {notReportingCount > 0 && (
            <li>
              {formatCountOf(notReportingCount, 'device')} never said what{' '}
              {notReportingCount === 1 ? 'it runs' : 'they run'}
            </li>
          )}
        </ul>
      ))}
      <Obstacles obstacles={preview.obstacles} deviceCount={deviceCount} />
      <NetList net={net.introduced} title="What comes" />
      <NetList net={net.removed} title="What goes" />
      <Gate gate={gate} />
      <GateRules gate={gate} />
    </div>
  )
}

const OBSTACLES: Record<DeploymentPreview['obstacles'][number]['kind'], string> = {
  ArtifactMissing: 'Nothing to install',
  ClientLimit: 'Clients that cannot take it',
  OtherFirmware: 'Perhaps not theirs',
  NeverSeen: 'Never seen',
}

/** Devices that cannot take it, or of which nobody knows whether they can. */
function Obstacles({
  obstacles,
  deviceCount: inCohort,
}: Pick<DeploymentPreview, 'obstacles' | 'deviceCount'>) {
  const workspaceId = useWorkspaceId()
  if (obstacles.length === 0 && inCohort === 0)
    return <p>The cohort has no devices: nothing can be told of their clients.</p>
  if (obstacles.length === 0)
    return (
      <p>No client is known that cannot take it: all devices were seen and report this firmware.</p>
    )
  return (
    <ul className={css['obstacles']} aria-label="Clients that cannot take it">
      {obstacles.map(({ kind, blocks, detail, deviceCount, deviceIds }) => (
        <li key={`${kind} ${detail}`} className={blocks ? css['stopped'] : undefined}>
          <strong>
            {OBSTACLES[kind]}: {formatCountOf(deviceCount, 'device')}
            {blocks && ', so it cannot be deployed'}
          </strong>
          <p>{detail}</p>
          {kind === 'ArtifactMissing' && (
            <p>
              Upload it with <code>plimsoll artifact upload</code>.
            </p>
          )}
          {deviceIds.length > 0 && (
            <p>
              {deviceIds.map((deviceId) => (
                <Link
                  key={deviceId}
                  to="/w/$workspaceId/devices/$deviceId"
                  params={{ workspaceId, deviceId }}
                >
                  <code>{deviceId}</code>
                </Link>
              ))}
              {deviceCount > deviceIds.length &&
                ` and ${formatCountOf(deviceCount - deviceIds.length, 'more', 'more')}`}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

function Gate({ gate }: { gate: DeploymentPreview['gate'] }) {
  if (gate.mode === 'Off') return <p>The release gate is off.</p>
  const faults = listGateFaults(gate)
  const unmetCount = countUnmet(gate)
  const { count: crashCount, failing: crashes } = gate.crashes ?? { count: 0, failing: [] }
  if (faults.length + unmetCount + crashCount === 0 && gate.support?.verdict !== 'Fails')
    return <PassedGate gate={gate} />
  const { blocked, ssvc } = gate
  return (
    <div role="status" className={`${css['banner']} ${blocked ? css['stopped'] : ''}`}>
      <strong>{blocked ? 'The release gate blocks:' : 'The release gate warns:'}</strong>{' '}
      {[
        ...faults,
        ...describeUnmet(unmetCount),
        ...describeCrashes(crashCount),
        ...describeRest(gate),
      ].join(', ')}
      {ssvc && ssvc.count > 0 && <UrgentFindings urgency={ssvc} />}
      <UnmetDemands gate={gate} />
      <NewCrashes crashes={crashes} count={crashCount} />
      <CrashMeasure gate={gate} />
    </div>
  )
}

/** Without devices that report crashes, none says nothing. */
function CrashMeasure({ gate: { crashes } }: { gate: DeploymentPreview['gate'] }) {
  return crashes?.versions?.map(({ firmwareVersionId, versionName, ...reporting }) => (
    <p key={firmwareVersionId}>
      Crashes of {versionName}: {describeReporting(reporting)}
    </p>
  ))
}

type Crashes = NonNullable<DeploymentPreview['gate']['crashes']>['failing']

/** What crashes as no earlier version did, or cannot be compared. */
function NewCrashes({ crashes, count }: { crashes: Crashes; count: number }) {
  const workspaceId = useWorkspaceId()
  if (crashes.length === 0) return null
  const rest = count - crashes.length
  return (
    <ul>
      {crashes.map(({ crashGroupId, firmwareVersionId, versionName, title, ...crash }) => (
        <li key={`${firmwareVersionId} ${crashGroupId}`}>
          <Link to="/w/$workspaceId/crashes/$crashGroupId" params={{ workspaceId, crashGroupId }}>
            {title}
          </Link>{' '}
          in {versionName}, on {formatCountOf(crash.deviceCount, 'device')}
          {crash.unknownBecause && `: not compared, as ${NOT_COMPARED[crash.unknownBecause]}`}
        </li>
      ))}
      {rest > 0 && <li>and {formatCountOf(rest, 'more', 'more')}</li>}
    </ul>
  )
}

/** Those that cannot be compared count, too. */
const describeCrashes = (count: number) =>
  count === 0
    ? []
    : [`${formatCountOf(count, 'crash', 'crashes')} that no earlier version is known to have`]

/** Older services do not count what they do not list. */
const countUnmet = ({ images }: DeploymentPreview['gate']): number =>
  images?.count ?? images?.failing.length ?? 0

/** Which image does not meet what, and how to get on. */
function UnmetDemands({ gate }: { gate: DeploymentPreview['gate'] }) {
  const unmet = gate.images?.failing ?? []
  if (unmet.length === 0) return null
  const rest = countUnmet(gate) - unmet.length
  return (
    <ul>
      {unmet.map(({ firmwareVersionId, fileName, versionName, demand, detail }) => (
        <li key={`${firmwareVersionId} ${fileName ?? ''} ${demand} ${detail}`}>
          <strong>{fileName ?? versionName}</strong>: {detail}
        </li>
      ))}
      {rest > 0 && <li>and {formatCountOf(rest, 'more', 'more')}</li>}
    </ul>
  )
}

const MODES = { Off: 'is off', Warn: 'warns', Block: 'blocks' }

/** Which release lines say otherwise than the workspace. */
function GateRules({ gate: { rules = [] } }: { gate: DeploymentPreview['gate'] }) {
  return rules.map(
    ({ firmwareVersion, line, mode }) =>
      line && (
        <p key={firmwareVersion.id}>
          For {firmwareVersion.name} the release gate {MODES[mode]}, by its line {line.name}.
        </p>
      ),
  )
}

/** What is not known is no pass. */
function PassedGate({ gate }: { gate: DeploymentPreview['gate'] }) {
  const { unknownSeverityCount = 0, support } = gate
  const isJudged = describeNotJudged(gate).length === 0
  const said = support?.verdict === 'NotKnown' || !isJudged ? 'knows no reason to stop' : 'passes'
  const critical = unknownSeverityCount > 0 || !isJudged ? 'no known Critical' : 'no Critical'
  return (
    <>
      <p>
        The release gate {said}: nothing known exploited,{' '}
        {[critical, ...describeRest(gate)].join('; ')}.
      </p>
      <CrashMeasure gate={gate} />
    </>
  )
}

type Urgency = NonNullable<DeploymentPreview['gate']['ssvc']>

const describeOutcome = ({
  ssvcOutcome: most,
  ssvcLeastOutcome: least,
}: Urgency['findings'][number]) => (most === least ? most : `${least} to ${most}`)

/** Which findings stop it. */
function UrgentFindings({ urgency }: { urgency: Urgency }) {
  const workspaceId = useWorkspaceId()
  const { count, uncertainCount, findings } = urgency
  const rest = count - findings.length
  return (
    <>
      <ul>
        {findings.map((finding) => (
          <li key={finding.id}>
            <Link
              to="/w/$workspaceId/findings/$findingId"
              params={{ workspaceId, findingId: finding.id }}
            >
              {finding.cveId}
            </Link>{' '}
            in {finding.componentName}: {describeOutcome(finding)}
          </li>
        ))}
        {rest > 0 && <li>and {formatCountOf(rest, 'more', 'more')}</li>}
      </ul>
      {uncertainCount > 0 && (
        <p>
          What is not known counts as its most urgent value:{' '}
          {formatCountOf(uncertainCount, 'finding')} may be less urgent.
        </p>
      )}
    </>
  )
}

const describeUnmet = (count: number) =>
  count === 0 ? [] : [`${formatCountOf(count, 'demand')} that update files and SBOMs do not meet`]

function listGateFaults({
  critical,
  knownExploited,
  failingLicenceCount,
  ssvc,
}: DeploymentPreview['gate']): string[] {
  const licences = failingLicenceCount ?? 0
  return [
    knownExploited > 0 && `${knownExploited} known exploited`,
    critical > 0 && `${critical} Critical`,
    ssvc &&
      ssvc.count > 0 &&
      `${formatCountOf(ssvc.count, 'finding')} from ${ssvc.from} on by SSVC`,
    licences > 0 && `${formatCountOf(licences, 'component')} with licences that may not ship`,
  ].filter((one) => typeof one === 'string')
}

/** Components of which no finding says nothing. */
function describeNotJudged({
  componentCount,
  notJudgedCount = 0,
}: DeploymentPreview['gate']): string[] {
  if (componentCount === 0) return ['no component is known']
  return notJudgedCount === 0
    ? []
    : [`nothing can be told of ${formatCountOf(notJudgedCount, 'component')}`]
}

function describeRest(gate: DeploymentPreview['gate']): string[] {
  const { unknownSeverityCount = 0, ssvc, support, images, crashes } = gate
  return [
    ...describeNotJudged(gate),
    ...(images?.failing.length === 0
      ? [`${formatCountOf(images.demands.length, 'demand')} on update files and SBOMs met`]
      : []),
    ...(crashes?.count === 0 ? ['no crash that no earlier version had'] : []),
    ...(ssvc?.count === 0 ? [`none from ${ssvc.from} on by SSVC`] : []),
    ...(unknownSeverityCount > 0
      ? [`${formatCountOf(unknownSeverityCount, 'finding')} of unknown severity`]
      : []),
    ...(support ? [describeGateSupport(support)] : []),
  ]
}

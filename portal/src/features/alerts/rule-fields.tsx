/** What a rule of each type is made of. */
import { Checkbox, MultiSelect, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { OUTCOME_WORDS } from '../../components/licences/outcome-words.ts'
import { SEVERITIES } from '../../components/severity.tsx'
import { ssvcQuery } from '../../components/ssvc/queries.ts'
import { useWorkspaceId } from '../../session.ts'
import { SOURCE_NAMES } from '../../format/sources.ts'
import css from './alerts.module.css'
import { CohortField, type FieldsProps, FirmwareField, withMissing } from './chosen-fields.tsx'
import { MetricFields } from './metric-fields.tsx'
import type { RuleType } from './rule-plan.ts'

export function RuleFields(props: FieldsProps) {
  const Fields = FIELDS[props.values.type]
  return <Fields {...props} />
}

/** Of what signs images, of issuers of device certificates, and of devices. */
const CertificateFields = (form: FieldsProps) => (
  <>
    <DaysBeforeField {...form} />
    <Checkbox
      label="Also certificates of devices, counted for each issuer"
      {...form.checkbox('includesDevices')}
    />
  </>
)

const CrashFields = (form: FieldsProps) => (
  <>
    <NumberInput
      label="On at least so many devices"
      min={1}
      max={1_000_000}
      {...form.field('minimumDevices', Number)}
    />
    <NumberInput
      label="New for so many days"
      description="after a version showed it first"
      min={1}
      max={90}
      {...form.field('newForDays', Number)}
    />
    <FirmwareField {...form} />
  </>
)

const CrashRateFields = (form: FieldsProps) => (
  <>
    <div className={css['fields']}>
      <NumberInput
        label="Devices crash on more than so many % of their days"
        description="a day counts once, however often the device crashed"
        min={0}
        max={99}
        {...form.field('thresholdPercent', Number)}
      />
      <NumberInput
        label="Within so many days"
        description="in UTC, with today"
        min={1}
        max={90}
        {...form.field('windowDays', Number)}
      />
      <NumberInput
        label="Once so many days of devices are known"
        description="of devices that report crashes; fewer are too few to tell"
        min={1}
        max={1_000_000}
        {...form.field('minimumDeviceDays', Number)}
      />
      <CohortField {...form} />
    </div>
    <FirmwareField {...form} />
  </>
)

const OldKeyFields = (form: FieldsProps) => (
  <div className={css['fields']}>
    <NumberInput
      label="A key is older than so many days"
      description="of a device, and without a cohort also of all devices; certificates have ends of their own"
      min={1}
      max={3650}
      {...form.field('olderThanDays', Number)}
    />
    <NumberInput
      label="Or asked to replace it so many days ago"
      description="and the device goes on with the old one"
      min={1}
      max={3650}
      {...form.field('askedForDays', Number)}
    />
    <CohortField {...form} />
  </div>
)

/** Of product lines, release lines and firmware. */
const ProductSupportFields = (form: FieldsProps) => (
  <>
    <DaysBeforeField {...form} />
    <Checkbox label="Only where devices run it" {...form.checkbox('onlyWhereDevicesRun')} />
  </>
)

const DaysBeforeField = ({ field }: FieldsProps) => (
  <NumberInput
    label="So many days before the end"
    description="and again once it has ended; 0: only then"
    min={0}
    max={3650}
    {...field('daysBefore', Number)}
  />
)

/** Cases are told 12, 4 and 1 hours before a report is due, and each day once it is late. */
function DeadlineFields({ checkbox }: FieldsProps) {
  return (
    <>
      <Checkbox label="Also drills, which are marked" {...checkbox('includesDrills')} />
      <Checkbox
        label="Also good practice: proposals and next looks that wait, and what has no due date yet"
        {...checkbox('includesGoodPractice')}
      />
    </>
  )
}

function FindingFields(form: FieldsProps) {
  const { values: plan, field, checkbox } = form
  return (
    <>
      <MultiSelect
        label="Severities"
        placeholder={plan.severities.length === 0 ? 'Any' : undefined}
        data={[...SEVERITIES]}
        {...field('severities')}
      />
      <Checkbox
        label="Also known exploited, whatever the severity"
        {...checkbox('knownCisaExploit')}
      />
      <WatchFields {...form} />
    </>
  )
}

/** Which findings, and what ends it. */
function WatchFields(form: FieldsProps) {
  const { values: plan, change, checkbox } = form
  return (
    <>
      <Checkbox label="Only where devices run it" {...checkbox('onlyWhereDevicesRun')} />
      <Checkbox
        label="Also after it was decided, until it is closed or gone"
        checked={plan.watches === 'Present'}
        onChange={(event) =>
          change({ watches: event.currentTarget.checked ? 'Present' : 'Undecided' })
        }
      />
      <FirmwareField {...form} />
    </>
  )
}

function UrgencyFields(form: FieldsProps) {
  const { values: plan, field } = form
  const { data } = useQuery(ssvcQuery(useWorkspaceId()))
  return (
    <>
      <Select
        label="From this outcome on"
        description="or a more urgent one; what is not known counts as its most urgent value"
        allowDeselect={false}
        data={withMissing(
          [plan.ssvcFrom],
          data?.outcomes.toReversed().map((value) => ({ value, label: value })),
        )}
        {...field('ssvcFrom')}
      />
      <WatchFields {...form} />
    </>
  )
}

function SupportFields(form: FieldsProps) {
  const { field, checkbox } = form
  return (
    <>
      <NumberInput
        label="So many days before the end"
        description="0: once support has ended"
        min={0}
        max={3650}
        {...field('daysBefore', Number)}
      />
      <Checkbox label="Only where devices run it" {...checkbox('onlyWhereDevicesRun')} />
      <FirmwareField {...form} />
    </>
  )
}

const LICENCE_OUTCOMES = (['denied', 'notListed', 'unknown', 'review'] as const).map((value) => ({
  value,
  label: OUTCOME_WORDS[value],
}))

function LicenceFields(form: FieldsProps) {
  const { field, checkbox } = form
  return (
    <>
      <MultiSelect
        label="What the licence rules say"
        data={LICENCE_OUTCOMES}
        {...field('outcomes')}
      />
      <Checkbox
        label="Only where devices run it"
        description="otherwise also the newest version of each line"
        {...checkbox('onlyWhereDevicesRun')}
      />
      <FirmwareField {...form} />
    </>
  )
}

function OfflineFields(form: FieldsProps) {
  const { field } = form
  return (
    <div className={css['fields']}>
      <TextInput label="Silent for" description="such as 30m, 12h or 7d" {...field('offlineFor')} />
      <TagsInput
        label="Only with all of these tags"
        description="none: whatever the tags"
        {...field('tags')}
      />
      <CohortField {...form} />
    </div>
  )
}

function FailureFields(form: FieldsProps) {
  const { field } = form
  return (
    <div className={css['fields']}>
      <NumberInput
        label="More than so many % failed"
        min={0}
        max={99}
        {...field('thresholdPercent', Number)}
      />
      <NumberInput
        label="Once so many have finished"
        description="at once when a deployment stops itself"
        min={1}
        {...field('minimumFinished', Number)}
      />
      <CohortField {...form} />
    </div>
  )
}

function StaleFields({ field }: FieldsProps) {
  return (
    <div className={css['fields']}>
      <MultiSelect
        label="Sources"
        description="none: all that are enabled"
        data={Object.entries(SOURCE_NAMES).map(([value, label]) => ({ value, label }))}
        {...field('sources')}
      />
      <TextInput
        label="Older than"
        description="such as 2d; empty: later than the source itself should be"
        {...field('olderThan')}
      />
    </div>
  )
}

const FIELDS: Readonly<Record<RuleType, (props: FieldsProps) => ReactNode>> = {
  NewVulnerabilityFinding: FindingFields,
  UrgentVulnerabilityFinding: UrgencyFields,
  DeviceOffline: OfflineFields,
  DeploymentFailureRate: FailureFields,
  ComponentSupportEnding: SupportFields,
  LicenceDenied: LicenceFields,
  NewCrash: CrashFields,
  CrashRate: CrashRateFields,
  OldDeviceKey: OldKeyFields,
  CaseDeadline: DeadlineFields,
  SupportEnding: ProductSupportFields,
  CertificateEnding: CertificateFields,
  VulnerabilitySourceStale: StaleFields,
  MetricFixedThreshold: MetricFields,
  MetricPercentualThreshold: MetricFields,
}

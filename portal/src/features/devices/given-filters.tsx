/** Filters that only links set: each can be seen, and taken away. */
import { useQuery } from '@tanstack/react-query'
import { Chip, ChipRow } from '../../components/chip.tsx'
import { MARK_WORDS, MarkSign } from '../../components/mark.tsx'
import { LAYERS } from '../../components/exposure/exposure-rows.ts'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import type { DevicesSearch } from '../../searches.ts'
import { firmwaresQuery, versionQuery } from '../../workspace-queries.ts'

interface GivenFiltersProps {
  search: DevicesSearch
  onChange: (next: DevicesSearch) => void
}

/** What cards and links ask for, and no chip shows. */
const SHOWN: Partial<Record<NonNullable<DevicesSearch['show']>, string>> = {
  unknown: 'Unknown firmware',
  unregistered: 'Run a version that nobody registered',
  otherImage: 'Report another image than that of the version',
  silent: 'Silent for a week',
  never: 'Never seen',
  loose: 'In no cohort',
  unjudged: 'Nobody can judge what they run',
}

const ROTATION_WORDS: Record<NonNullable<DevicesSearch['rotation']>, string> = {
  Asked: 'not told yet',
  Told: 'told',
  Fetched: 'fetched, not used yet',
  Done: 'done',
  Unable: 'unable',
}

type Name =
  | 'show'
  | 'worst'
  | 'cve'
  | 'firmware'
  | 'version'
  | 'mark'
  | 'rotation'
  | 'image'
  | 'key'

export function GivenFilters({ search, onChange }: GivenFiltersProps) {
  const { show, worst, cve, firmware, version, mark, rotation, image, key } = search
  const shown = show && SHOWN[show]
  const layer = LAYERS.find(({ id }) => id === worst)
  const drop = (name: Name) => onChange({ [name]: undefined })
  const all = [shown, layer, cve, firmware, version, mark, rotation, image, key]
  if (all.every((one) => one === undefined)) return null
  return (
    <ChipRow label="As the link asks">
      {shown !== undefined && (
        <Chip isOn isRemovable onChange={() => drop('show')}>
          {shown}
        </Chip>
      )}
      {layer && (
        <Chip isOn isRemovable onChange={() => drop('worst')}>
          Worst finding: {layer.name}
        </Chip>
      )}
      {cve !== undefined && (
        <Chip isOn isRemovable onChange={() => drop('cve')}>
          With {cve}
        </Chip>
      )}
      {firmware !== undefined && (
        <Chip isOn isRemovable onChange={() => drop('firmware')}>
          Runs <FirmwareName id={firmware} />
        </Chip>
      )}
      {mark !== undefined && (
        <Chip isOn isRemovable onChange={() => drop('mark')}>
          <MarkSign state={mark} size={16} isBesideWord /> Runs {MARK_WORDS[mark].toLowerCase()}
        </Chip>
      )}
      <KeyChips rotation={rotation} age={key} drop={drop} />
      {image !== undefined && (
        <Chip isOn isRemovable onChange={() => drop('image')}>
          Reports the image {image.slice(0, 12)}…
        </Chip>
      )}
      {version !== undefined && (
        <Chip isOn isRemovable onChange={() => drop('version')}>
          Runs <VersionName id={version} />
        </Chip>
      )}
    </ChipRow>
  )
}

interface KeyChipsProps {
  rotation: DevicesSearch['rotation']
  age: DevicesSearch['key']
  drop: (name: Name) => void
}

function KeyChips({ rotation, age, drop }: KeyChipsProps) {
  return (
    <>
      {rotation !== undefined && (
        <Chip isOn isRemovable onChange={() => drop('rotation')}>
          Replacing the key: {ROTATION_WORDS[rotation]}
        </Chip>
      )}
      {age !== undefined && (
        <Chip isOn isRemovable onChange={() => drop('key')}>
          {age === 'none'
            ? 'Without a key of its own'
            : `Key older than ${formatCountOf(Number(age), 'day')}`}
        </Chip>
      )}
    </>
  )
}

function FirmwareName({ id }: { id: string }) {
  const { data } = useQuery(firmwaresQuery(useWorkspaceId()))
  return <>{data?.firmwares.find((one) => one.id === id)?.name ?? 'one firmware'}</>
}

function VersionName({ id }: { id: string }) {
  const { data } = useQuery(versionQuery(useWorkspaceId(), id))
  return <>{data ? `${data.firmware.name} ${data.name}` : 'one version'}</>
}

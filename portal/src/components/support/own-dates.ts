/** Ends of support that the workspace states itself, as people type them. */
import type { SupportEntry, SupportStatement, SupportStatementCommand } from '@plimsoll/api-client'
import { formatCountOf } from '../../format/counts.ts'
import { formatCalendarDay } from '../../format/dates.ts'

export interface OwnDateDraft {
  /** A name, or a purl. */
  component: string
  versionFrom: string
  versionBefore: string
  endsOn: string
  isWithoutEnd: boolean
  link: string
  note: string
}

const EMPTY: OwnDateDraft = {
  component: '',
  versionFrom: '',
  versionBefore: '',
  endsOn: '',
  isWithoutEnd: false,
  link: '',
  note: '',
}

export function readOwnDate(statement: SupportStatement | undefined): OwnDateDraft {
  if (!statement) return EMPTY
  return {
    component: statement.purl ?? statement.name ?? '',
    versionFrom: statement.versionFrom ?? '',
    versionBefore: statement.versionBefore ?? '',
    endsOn: statement.endsOn ?? '',
    isWithoutEnd: statement.endsOn === null,
    link: statement.link ?? '',
    note: statement.note ?? '',
  }
}

/** What a new date begins with where somebody opened what the source says of a component. */
export const startOwnDate = ({ components }: Pick<SupportEntry, 'components'>): OwnDateDraft => ({
  ...EMPTY,
  component: components[0]?.name ?? '',
})

export function writeOwnDate(draft: OwnDateDraft): SupportStatementCommand {
  const component = draft.component.trim()
  const orNull = (text: string) => (text.trim() === '' ? null : text.trim())
  return {
    purl: component.startsWith('pkg:') ? component : null,
    name: component.startsWith('pkg:') ? null : component,
    versionFrom: orNull(draft.versionFrom),
    versionBefore: orNull(draft.versionBefore),
    endsOn: draft.isWithoutEnd ? null : orNull(draft.endsOn),
    link: orNull(draft.link),
    note: orNull(draft.note),
  }
}

/** What puts a statement back as it was. */
export const restoreOwnDate = (statement: SupportStatement): SupportStatementCommand =>
  writeOwnDate(readOwnDate(statement))

type Dated = Pick<
  SupportStatementCommand,
  'purl' | 'name' | 'versionFrom' | 'versionBefore' | 'endsOn'
>

/** `acme-bsp before 3.0` */
export function nameOwnDate({ purl, name, versionFrom, versionBefore }: Dated): string {
  const from = versionFrom ? ` from ${versionFrom}` : ''
  const before = versionBefore ? ` before ${versionBefore}` : ''
  return `${purl ?? name ?? ''}${from}${before}`
}

export const describeOwnEnd = ({ endsOn }: Pick<Dated, 'endsOn'>): string =>
  endsOn === null ? 'no end planned' : `until ${formatCalendarDay(endsOn)}`

/** One that is about nothing is told: a name may be misspelt. */
export const describeOwnDate = (statement: SupportStatement): string =>
  `${describeOwnEnd(statement)}; about ${formatCountOf(statement.packageCount, 'package')} of your versions`

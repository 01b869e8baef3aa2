import { Readable } from 'node:stream'
import type { GradedElement, SbomGrade } from '../../../server/src/formats/sbom-profiles/grade.ts'
import {
  describeElement,
  describeGrade,
  LEVEL_WORDS,
  OUTCOME_WORDS,
  writeGradePage,
} from '../../../server/src/formats/sbom-profiles/grade-page.ts'
import type { ProfileId } from '../../../server/src/formats/sbom-profiles/profile.ts'
import { writeWhole } from '../download.ts'
import { EXIT } from '../exit-codes.ts'
import { note, formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { gradeFile } from '../sbom-grades.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

export interface ProfileOptions {
  json?: boolean
  quiet?: boolean
  page?: string
}

/** Grades a document by profiles, without a service. */
export async function checkProfiles(
  path: string,
  profiles: readonly ProfileId[],
  { json, quiet = false, page }: ProfileOptions,
): Promise<void> {
  getTerminal().isQuiet = quiet
  const graded = await gradeFile(path, profiles)
  if (page !== undefined) await writeWhole(Readable.from([writeGradePage(graded)]), page)
  if (json === true) printJson(graded, listRows(graded.grades))
  else {
    printLine(
      sanitise(
        `${graded.fileName}: ${graded.format}, ${formatCount(graded.componentCount, 'component')}`,
      ),
    )
    for (const grade of graded.grades) printGrade(grade)
  }
  if (graded.grades.some(({ outcome }) => outcome !== 'met'))
    getTerminal().exitCode = EXIT.profileNotMet
}

function printGrade(grade: SbomGrade): void {
  printLine(`\n${grade.title}: ${describeGrade(grade)}`)
  writeTable(getTerminal().stdout, COLUMNS, grade.elements)
  note(`No SBOM can show: ${grade.outside.map(({ title }) => title).join('; ')}.`)
}

/** What CSV has: a row for each element of each profile. */
function listRows(grades: readonly SbomGrade[]) {
  return grades.flatMap(({ profile, elements }) =>
    elements.map((element) => ({ profile, ...element })),
  )
}

const STYLES = { met: 'green', missing: 'red', cannotSay: 'yellow' } as const

const COLUMNS: readonly Column<GradedElement>[] = [
  { title: 'ELEMENT', value: ({ title }) => title },
  {
    title: 'OUTCOME',
    value: ({ outcome }) => OUTCOME_WORDS[outcome],
    style: ({ outcome, level }) => (level === 'required' ? STYLES[outcome] : undefined),
  },
  { title: 'COUNTS', value: (element) => describeElement(element) },
  { title: 'ASKED FOR', value: ({ level }) => LEVEL_WORDS[level] },
  { title: 'SECTION', value: ({ section }) => section, isSpare: true },
  { title: 'FIRST WITHOUT IT', value: ({ examples }) => examples.join(', '), isSpare: true },
]

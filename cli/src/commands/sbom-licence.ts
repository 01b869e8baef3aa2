import { EXIT } from '../exit-codes.ts'
import { formatCount, note, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { judgeLicences, type JudgedComponent, OUTCOME_WORDS } from '../sbom-licences.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

const MOST_SHOWN = 50

/** Judges the licences of a document by rules, without a service. */
export async function checkLicences(
  path: string,
  rulesPath: string,
  { json, quiet = false }: { json?: boolean; quiet?: boolean },
): Promise<void> {
  getTerminal().isQuiet = quiet
  const judged = await judgeLicences(path, rulesPath)
  const { fileName, counts, failOn, components } = judged
  if (json === true) printJson(judged, components)
  else {
    const told = components.filter(({ outcome }) => outcome !== 'allowed')
    printLine(
      sanitise(
        `${fileName}: ${formatCount(components.length, 'component')}; ${counts.allowed} allowed, ${counts.review} to be reviewed, ${counts.notListed} in no list, ${counts.unknown} unknown, ${counts.denied} denied`,
      ),
    )
    if (told.length > 0) writeTable(getTerminal().stdout, COLUMNS, told.slice(0, MOST_SHOWN))
    if (told.length > MOST_SHOWN)
      note(
        `${told.length - MOST_SHOWN} more; --json has all of them, and which branch of an OR counts.`,
      )
  }
  if (failOn.some((outcome) => counts[outcome] > 0)) getTerminal().exitCode = EXIT.licencesNotMet
}

const COLUMNS: readonly Column<JudgedComponent>[] = [
  {
    title: 'COMPONENT',
    value: ({ component, version }) => (version === null ? component : `${component}@${version}`),
  },
  {
    title: 'OUTCOME',
    value: ({ outcome }) => OUTCOME_WORDS[outcome],
    style: ({ outcome }) => (outcome === 'review' ? 'yellow' : 'red'),
  },
  { title: 'LICENCE', value: ({ licence }) => licence },
  { title: 'WHY', value: ({ reasons }) => reasons.join('; ') },
]

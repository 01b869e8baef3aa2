/** Licences of a version, until when its components are supported, and what links its SBOMs, images and devices. */
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { formatWords } from '../../../formats/words.ts'
import type { Html } from '../../../platform/html.ts'
import { describeLeftOut, renderSection, renderTable } from '../sheet/sheet.ts'
import type { Dossier, Present } from './dossier.ts'

const MOST_ROWS = 100

export function renderLicences(licences: Present['licences']): Html {
  const { rulesOf, failingCount, componentCount, licenceCount } = licences
  if (componentCount === 0) return renderSection('Licences', 'No component is known.')
  const judged =
    rulesOf === null
      ? 'Nobody has stated licence rules: none is judged.'
      : `${formatCountOf(failingCount ?? 0, 'component')} may not ship by the rules of the ${rulesOf.toLowerCase()}.`
  return renderSection(
    'Licences',
    `${formatCountOf(licenceCount, 'licence')} stated for ${formatCountOf(componentCount, 'component')}. ${judged}`,
    describeLeftOut(licenceCount, Math.min(licences.licences.length, MOST_ROWS), 'licence'),
    renderTable(
      [
        { title: 'Licence', width: 40, cell: ({ licence }) => licence ?? 'none stated' },
        {
          title: 'Verdict',
          width: 24,
          cell: ({ outcome }) => (outcome === null ? 'not judged' : formatWords(outcome)),
        },
        {
          title: 'Components',
          isNumber: true,
          cell: ({ componentCount: count }) => formatNumber(count),
        },
      ],
      licences.licences.slice(0, MOST_ROWS),
    ),
  )
}

export function renderSupport({ entries, counts, supportEndsOn }: Present['support']): Html {
  const { ended, ending, endingBeforePromise, noEndPlanned, notKnown, notListed } = counts
  const promise =
    supportEndsOn === null
      ? 'Nobody has promised an end for this firmware.'
      : `The firmware promises support until ${supportEndsOn}; ${formatCountOf(endingBeforePromise, 'component')} end before.`
  return renderSection(
    'Ends of support of components',
    `${formatNumber(ended)} out of support, ${formatNumber(ending)} with an end to come, ${formatNumber(noEndPlanned)} with no end planned; of ${formatNumber(notKnown + notListed)} it is not known. ${promise}`,
    describeLeftOut(entries.length, Math.min(entries.length, MOST_ROWS), 'entry'),
    entries.length === 0
      ? null
      : renderTable(
          [
            {
              title: 'Software',
              width: 40,
              cell: ({ label, cycle }) => [label, cycle].filter(Boolean).join(' '),
            },
            { title: 'State', width: 24, cell: ({ state }) => formatWords(state) },
            { title: 'Ends on', width: 18, cell: ({ endsOn }) => endsOn ?? 'not known' },
            {
              title: 'Components',
              isNumber: true,
              cell: ({ componentCount }) => formatNumber(componentCount),
            },
          ],
          entries.slice(0, MOST_ROWS),
        ),
  )
}

export function renderChain({ present }: Dossier): Html {
  const title = 'From SBOM to device'
  if (!present)
    return renderSection(
      title,
      'Not known for that day: which keys were trusted, and which images ran, is not kept for the past.',
    )
  return renderSection(
    title,
    renderTable(
      [
        { title: 'From', width: 20, cell: ({ from }) => from ?? 'nothing' },
        {
          title: 'To',
          width: 20,
          cell: ({ to, step }) => (step === 'ImageToDevices' ? 'devices' : (to ?? 'no image')),
        },
        { title: 'State', width: 12, cell: ({ state }) => LINK_STATES[state] },
        { title: 'Why', cell: ({ why }) => why },
      ],
      present.chain.links,
    ),
  )
}

const LINK_STATES = {
  Proved: 'proved',
  Stated: 'stated, not proved',
  Missing: 'missing',
  Unknown: 'not known yet',
  Differs: 'differs',
} as const

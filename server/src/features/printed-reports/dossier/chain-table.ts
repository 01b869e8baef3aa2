/** What links SBOMs, images and devices of a version, on paper. */
import type { Html } from '../../../platform/html.ts'
import { renderSection, renderTable } from '../sheet/sheet.ts'
import type { Dossier } from './dossier.ts'

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

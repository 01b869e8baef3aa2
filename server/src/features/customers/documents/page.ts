/** The page of a standing address. */
import { renderHtml } from '../../../platform/html.ts'
import { describeSupport, renderPage } from '../view/pages.ts'
import type { describeAddress } from './service.ts'

type Address = Awaited<ReturnType<typeof describeAddress>>

const VEX = [
  ['openvex.json', 'OpenVEX'],
  ['cyclonedx.json', 'CycloneDX'],
  ['csaf.json', 'CSAF'],
] as const

export function renderAddress(
  { firmware, version, documents, support, sboms }: Address,
  { linkTo, isOfOneVersion }: { linkTo: (file: string) => string; isOfOneVersion: boolean },
): string {
  if (firmware === null || version === null)
    return renderPage('Nothing here yet', [
      renderHtml`<p>There is no version yet that this address could be about.</p>`,
    ])
  return renderPage(`${firmware} ${version}`, [
    renderHtml`<p>What is here is ${isOfOneVersion ? 'of this version, as it is known now' : 'always of the version that was created last'}. The addresses stay the same.</p>`,
    documents.includes('Vex')
      ? renderHtml`<h2>What is said about vulnerabilities (VEX)</h2><ul>${VEX.map(
          ([file, name]) => renderHtml`<li><a href="${linkTo(file)}">${name}</a></li>`,
        )}</ul>`
      : null,
    documents.includes('Sbom')
      ? renderHtml`<h2>Components (SBOM)</h2>${
          sboms.length === 0
            ? renderHtml`<p class="unknown">There is none for this version.</p>`
            : renderHtml`<ul>${sboms.map(
                ({ id, fileName, sha256 }) =>
                  renderHtml`<li><a href="${linkTo(sboms.length === 1 ? 'sbom' : `sboms/${id}`)}"><bdi>${fileName}</bdi></a>, SHA-256 ${sha256}</li>`,
              )}</ul>`
        }`
      : null,
    support === null
      ? null
      : renderHtml`<h2>Fixes until</h2><p>${describeSupport(support)}</p><p><a href="${linkTo('support.json')}">As JSON</a></p>`,
    renderHtml`<p><a href="${linkTo('index.json')}">What is here, as JSON</a></p>`,
  ])
}

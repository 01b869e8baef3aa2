/** Grades as a page that needs nothing besides itself: to keep with a build, or to print. */
import type { GradedElement, SbomGrade } from './grade.ts'

export interface GradedDocument {
  fileName: string
  /** `SPDX 2.3` */
  format: string
  componentCount: number
  grades: readonly SbomGrade[]
}

export const OUTCOME_WORDS: Readonly<Record<SbomGrade['outcome'], string>> = {
  met: 'met',
  missing: 'missing',
  cannotSay: 'the format cannot say it',
}

export const LEVEL_WORDS: Readonly<Record<GradedElement['level'], string>> = {
  required: 'required',
  ifExists: 'where it exists',
  optional: 'optional',
}

/** `missing on 214 of 300 components (12 say that it is unknown)` */
export function describeElement(element: GradedElement): string {
  const { outcome, total, stated, unknown, reason } = element
  if (reason !== null) return reason.replace(/\.$/, '')
  if (element.of !== 'component') return outcome === 'met' ? 'yes' : 'not stated'
  const components = total === 1 ? 'component' : 'components'
  const parts = [`stated by ${stated} of ${total} ${components}`]
  if (outcome === 'missing') parts[0] = `missing on ${total - stated} of ${total} ${components}`
  if (unknown > 0) parts.push(`${unknown} ${unknown === 1 ? 'says' : 'say'} that it is unknown`)
  return parts.join(', ')
}

/** `missing: 2 of 8 required elements; the format cannot say 1` */
export function describeGrade({ elements, outcome }: SbomGrade): string {
  const required = elements.filter(({ level }) => level === 'required')
  const count = (one: SbomGrade['outcome']) =>
    required.filter((element) => element.outcome === one).length
  if (outcome === 'met') return `met: all ${required.length} required elements are stated`
  const parts = []
  if (count('missing') > 0) parts.push(`${count('missing')} are missing`)
  if (count('cannotSay') > 0) parts.push(`${count('cannotSay')} the format cannot say`)
  return `not met: of ${required.length} required elements, ${parts.join(' and ')}`
}

const escape = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0) ?? 0};`)

// Tagged, as it is code and no text.
const STYLE = String.raw`
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 2rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid #8886; }
th { font-weight: 600; }
.met { color: light-dark(#17692f, #6fd08c); }
.missing { color: light-dark(#a11212, #ff8f87); font-weight: 600; }
.cannotSay { color: light-dark(#7a5200, #e5b454); }
.examples { overflow-wrap: anywhere; }
@media (max-width: 40rem) { thead { display: none; } td { display: block; border: 0; padding: 0 0.6rem; } td:nth-child(2)::before { content: 'Section '; } tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid #8886; } }
@media print { body { margin: 0; max-width: none; } tr { break-inside: avoid; } }
`

export function writeGradePage(document: GradedDocument): string {
  const { fileName, format, componentCount, grades } = document
  const count = componentCount === 1 ? '1 component' : `${componentCount} components`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What ${escape(fileName)} lacks</title><style>${STYLE}</style></head><body>
<h1>What ${escape(fileName)} lacks</h1>
<p>${escape(format)}, ${count}</p>
${grades.map(writeGrade).join('\n')}
</body></html>
`
}

function writeGrade(grade: SbomGrade): string {
  const { title, outcome, elements, outside } = grade
  const others = outside.map((one) => `${one.title} (${one.section})`).join('; ')
  return `<h2>${escape(title)}</h2>
<p class="${outcome}">${escape(describeGrade(grade))}</p>
<table><thead><tr><th>Element</th><th>Section</th><th>Asked for</th><th>Outcome</th><th>First without it</th></tr></thead>
<tbody>
${elements.map(writeElement).join('\n')}
</tbody></table>
<p>No SBOM can show: ${escape(others)}.</p>`
}

function writeElement(element: GradedElement): string {
  const { title, section, level, outcome, examples } = element
  const told = describeElement(element)
  const outcomeWords = OUTCOME_WORDS[outcome]
  const whole = told.startsWith(outcomeWords) ? told : `${outcomeWords}: ${told}`
  const words = told === 'yes' ? outcomeWords : whole
  return `<tr><td>${escape(title)}</td><td>${escape(section)}</td><td>${LEVEL_WORDS[level]}</td><td class="${outcome}">${escape(words)}</td><td class="examples">${escape(examples.join(', '))}</td></tr>`
}

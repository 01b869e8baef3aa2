/** Public pages: the policy with its form, and what became of a report. They need no script, and load nothing. */
import { formatCountOf } from '../../formats/counts.ts'
import { formatInstant } from '../../formats/instants.ts'
import { type Html, type HtmlPart, renderHtml } from '../../platform/html.ts'
import type { OpenPolicy, ReporterView } from './intake-service.ts'
import type { ReportClock, ReportStep } from './standing.ts'
import { type Faults, MOST, type Submission } from './submission.ts'

const PRACTICE = renderHtml`<span class="mark">good practice</span>`

const EMPTY: Submission = { title: '', text: '', contact: '', credit: '', productLineId: '' }

interface FormPage {
  policy: OpenPolicy
  /** Of this form: whoever sends it twice has sent one report. */
  token: string
  given?: Submission
  faults?: Faults
}

export function renderForm({ policy, token, given = EMPTY, faults = {} }: FormPage): string {
  const { workspaceName, answerDays, assessmentDays, disclosureDays } = policy
  return renderPage(`Report a vulnerability to ${workspaceName}`, [
    policy.policy === null
      ? renderHtml`<p>Have you found a weakness in one of our products? Tell us here.</p>`
      : writeText(policy.policy),
    renderHtml`<h2>What you can expect</h2>
<ul>
<li>Your report is acknowledged at once, with a link to a page that only you know. Answers stand there.</li>
<li>A person answers within ${formatCountOf(answerDays, 'working day')}, and we assess it within ${formatCountOf(assessmentDays, 'working day')}. ${PRACTICE}</li>
<li>We aim to publish within ${formatCountOf(disclosureDays, 'day')}, together with you. ${PRACTICE}</li>
<li>You need not say who you are. A contact is optional; no mail is sent to it by itself.</li>
</ul>
<h2>Your report</h2>`,
    faults.form === undefined ? null : renderHtml`<p class="fault" role="alert">${faults.form}</p>`,
    renderHtml`<form method="post" accept-charset="utf-8">
<input type="hidden" name="token" value="${token}">
${writeField('title', 'Subject', { given, faults, hint: 'In a few words, such as the kind of weakness.' })}
${writeLines(policy, given, faults)}
${writeTextarea('What have you found?', { value: given.text, fault: faults.text, hint: `Version, steps to repeat it, and what an attacker gains. At most ${formatNumber(MOST.text)} characters; files cannot be attached.` })}
${writeField('contact', 'How can we reach you? (optional)', { given, faults, hint: 'An e-mail address or anything else. Without it, answers stand on your page alone.' })}
${writeField('credit', 'Under which name may we thank you? (optional)', { given, faults })}
<button>Send the report</button>
</form>`,
  ])
}

const formatNumber = (value: number) => value.toLocaleString('en')

interface FieldTexts {
  given: Submission
  faults: Faults
  hint?: string
}

function writeField(
  name: 'title' | 'contact' | 'credit',
  label: string,
  { given, faults, hint }: FieldTexts,
): Html {
  const fault = faults[name]
  const isRequired = name === 'title' ? renderHtml` required` : null
  return renderHtml`<label for="${name}">${label}</label>${writeHint(name, hint)}${writeFault(name, fault)}
<input id="${name}" name="${name}" type="text" autocomplete="off" maxlength="${String(MOST[name])}" value="${given[name]}"${describe(name, { hint, fault })}${isRequired}>`
}

function writeTextarea(
  label: string,
  { value, fault, hint }: { value: string; fault?: string | undefined; hint: string },
): Html {
  return renderHtml`<label for="text">${label}</label>${writeHint('text', hint)}${writeFault('text', fault)}
<textarea id="text" name="text" rows="14" maxlength="${String(MOST.text)}"${describe('text', { hint, fault })} required>
${value}</textarea>`
}

function writeLines(
  { lines }: OpenPolicy,
  { productLineId }: Submission,
  { productLineId: fault }: Faults,
): HtmlPart {
  if (lines.length === 0) return null
  const options = lines.map(
    ({ id, name }) =>
      renderHtml`<option value="${id}"${id === productLineId ? renderHtml` selected` : null}>${name}</option>`,
  )
  return renderHtml`<label for="product-line">Which product?</label>${writeFault('product-line', fault)}
<select id="product-line" name="product-line"><option value="">Another one, or I do not know</option>${options}</select>`
}

const writeHint = (name: string, hint: string | undefined): HtmlPart =>
  hint === undefined ? null : renderHtml`<p class="hint" id="${name}-hint">${hint}</p>`

const writeFault = (name: string, fault: string | undefined): HtmlPart =>
  fault === undefined ? null : renderHtml`<p class="fault" id="${name}-fault">${fault}</p>`

function describe(
  name: string,
  { hint, fault }: { hint?: string | undefined; fault?: string | undefined },
): HtmlPart {
  const ids = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(fault === undefined ? [] : [`${name}-fault`]),
  ].join(' ')
  const invalid = fault === undefined ? null : renderHtml` aria-invalid="true"`
  return ids === '' ? invalid : renderHtml` aria-describedby="${ids}"${invalid}`
}

const STATES: Readonly<Record<ReporterView['standing']['state'], string>> = {
  New: 'Received. A person will answer here.',
  Answered: 'Being assessed.',
  Accepted: 'Accepted: we work on it.',
  Dismissed: 'Closed.',
  Disclosed: 'Published.',
}

const STEPS: Readonly<Record<ReportStep, string>> = {
  Answer: 'First answer by a person',
  Assessment: 'Assessment',
  Disclosure: 'Publication',
}

interface StatusPage {
  view: ReporterView
  /** What was written and could not be taken. */
  given?: string
  fault?: string
}

export function renderStatus({ view, given = '', fault }: StatusPage): string {
  const { title, receivedAt, standing, texts, workspaceName, productLineName } = view
  const isDuplicate = standing.dismissal === 'Duplicate'
  return renderPage('Your report', [
    renderHtml`<p class="keep"><strong>Keep the address of this page.</strong> It is the only way to your report: whoever has it can read and add to it.</p>
<h2><bdi>${title}</bdi></h2>
<p>To <bdi>${workspaceName}</bdi>${productLineName === null ? null : renderHtml`, about <bdi>${productLineName}</bdi>`}. Received ${formatInstant(receivedAt)}.</p>
<p class="state">${isDuplicate ? 'Closed: we knew of it by an earlier report.' : STATES[standing.state]}</p>`,
    standing.credit === null
      ? null
      : renderHtml`<p>To be thanked as <bdi>${standing.credit}</bdi>.</p>`,
    renderHtml`<h2>Times ${PRACTICE}</h2><ul>${standing.clocks.map(writeClock)}</ul>
<h2>What was written</h2>`,
    texts.map(
      ({ at, isByReporter, text }) =>
        renderHtml`<article class="${isByReporter ? 'mine' : 'theirs'}"><h3>${isByReporter ? 'You' : workspaceName}, ${formatInstant(at)}</h3>${writeText(text)}</article>`,
    ),
    view.mayAdd
      ? renderHtml`<form method="post" accept-charset="utf-8">
${writeTextarea('Add something', { value: given, fault, hint: `At most ${formatNumber(MOST.text)} characters.` })}
<button>Add it</button>
</form>`
      : renderHtml`<p>Nothing more can be added to this report.</p>`,
  ])
}

function writeClock({ step, dueAt, doneAt, state }: ReportClock): Html {
  const told =
    doneAt === null
      ? `${state === 'Late' ? 'was meant' : 'meant'} until ${formatInstant(dueAt)}`
      : `done ${formatInstant(doneAt)}`
  return renderHtml`<li>${STEPS[step]}: ${told}</li>`
}

/** A page of one sentence, for what cannot be taken. */
export const renderRefusal = (title: string, text: string): string =>
  renderPage(title, [renderHtml`<p role="alert">${text}</p>`])

const writeText = (text: string): Html[] =>
  text.split(/\n{2,}/).map((paragraph) => renderHtml`<p class="text"><bdi>${paragraph}</bdi></p>`)

function renderPage(title: string, body: readonly HtmlPart[]): string {
  return String(renderHtml`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
  :root { color-scheme: light dark; --ink: #1a2733; --quiet: #4a5a68; --paper: #fff; --field: #f3f6f8; --deep: #0b5394; --on-deep: #fff; --line: #8a98a5; --bad: #a3201a }
  @media (prefers-color-scheme: dark) { :root { --ink: #e6ecf1; --quiet: #a9b7c3; --paper: #14202b; --field: #1d2c39; --deep: #7cb9f0; --on-deep: #10202e; --line: #6b7c8a; --bad: #ff9d94 } }
  body { font: 1.05rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; color: var(--ink); background: var(--paper); overflow-wrap: anywhere }
  h1 { font-size: 1.7rem; line-height: 1.25 }
  h2 { font-size: 1.25rem; margin: 2rem 0 .5rem }
  h3 { font-size: .95rem; margin: 0; color: var(--quiet) }
  label { display: block; font-weight: 600; margin-top: 1.25rem }
  input[type=text], textarea, select { font: inherit; color: inherit; background: var(--field); border: 1px solid var(--line); border-radius: 4px; box-sizing: border-box; width: 100%; padding: .5rem .6rem; margin-top: .25rem; min-height: 2.75rem }
  [aria-invalid] { border-color: var(--bad) }
  button { font: inherit; margin-top: 1.5rem; min-height: 2.75rem; padding: .5rem 1.25rem; border: 0; border-radius: 4px; background: var(--deep); color: var(--on-deep); cursor: pointer }
  :is(button, input, textarea, select):focus-visible { outline: 3px solid var(--deep); outline-offset: 2px }
  .hint { margin: 0; color: var(--quiet); font-size: .95rem }
  .fault { margin: 0; color: var(--bad); font-weight: 600 }
  .mark { border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; font-size: .8rem; font-weight: 400; color: var(--quiet); white-space: nowrap }
  .text { white-space: pre-wrap; margin: .25rem 0 0 }
  .keep { border-inline-start: 4px solid var(--deep); padding-inline-start: .75rem }
  .state { font-size: 1.2rem; font-weight: 600 }
  article { border: 1px solid var(--line); border-radius: 4px; padding: .6rem .8rem; margin-top: .75rem }
  article.theirs { background: var(--field) }
</style>
<main>
  <h1><bdi>${title}</bdi></h1>
  ${body}
</main>
</html>`)
}

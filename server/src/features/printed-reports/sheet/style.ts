import { renderHtml } from '../../../platform/html.ts'

/** Of columns, in percent of the table: a policy forbids styles of elements, so that they are classes. */
const WIDTHS = [6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 28, 30, 34, 40] as const
export type Width = (typeof WIDTHS)[number]

/** Black on white, on the screen as on paper. A row is never cut by the end of a page, and heads of tables are on each. */
export const STYLE = renderHtml`
  @page {
    size: A4;
    margin: 16mm 14mm 18mm;
    @bottom-right {
      content: 'Page ' counter(page) ' of ' counter(pages);
      color: #4a5a68;
      font: 8pt system-ui, sans-serif;
    }
  }
  :root { color-scheme: light }
  body { margin: 0 auto; padding: 24px; max-width: 190mm; background: #fff; color: #14212c; font: 10pt/1.45 system-ui, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif; overflow-wrap: anywhere }
  h1 { font-size: 19pt; line-height: 1.2; margin: 2pt 0 4pt }
  h2 { font-size: 13pt; margin: 18pt 0 5pt; break-after: avoid }
  section > p { break-after: avoid }
  p { margin: 0 0 5pt }
  ul { margin: 0 0 6pt; padding-left: 16pt }
  a { color: inherit }
  .kind, .small, .hint, caption { color: #4a5a68 }
  .small, .hint { font-size: 8.5pt }
  .kind { font-weight: 600; letter-spacing: .04em }
  .lead { font-size: 11.5pt; margin: 4pt 0 8pt }
  .warning { border-left: 3pt solid #9a5b00; padding: 3pt 0 3pt 8pt; margin: 6pt 0 }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 2pt 12pt; margin: 6pt 0 }
  dt { color: #4a5a68 }
  dd { margin: 0 }
  table { width: 100%; table-layout: fixed; border-collapse: collapse; margin: 4pt 0 8pt; font-size: 9pt }
  th, td { text-align: left; vertical-align: top; padding: 3pt 8pt 3pt 0; border-bottom: .5pt solid #c3cdd5 }
  th { font-weight: 600; border-bottom: 1pt solid #14212c }
  td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
  td b { display: block }
  th { overflow-wrap: normal }
${WIDTHS.map((percent) => `  .w${percent} { width: ${percent}% }`)}
  td div { white-space: pre-line }
  thead { display: table-header-group }
  tr { break-inside: avoid }
  footer { margin-top: 18pt; padding-top: 5pt; border-top: .5pt solid #c3cdd5; break-inside: avoid }
  .screen { background: #eef2f5; padding: 6pt 10pt; border-radius: 4pt; margin-bottom: 14pt }
  .table { overflow-x: auto }
  @media (max-width: 600px) { body { padding: 12px } dl { grid-template-columns: 1fr } dt { margin-top: 4pt } }
  @media print { body { padding: 0; max-width: none } .screen { display: none } .table { overflow: visible } }
`

/** Cases of Article 14, as a bundle has them. */
import { lowerWords } from '../../formats/words.ts'
import type { AppContext } from '../../platform/context.ts'
import { getCase } from '../cases/index.ts'
import { type Bundle, listTexts } from './bundle-service.ts'
import type { BundledCase } from './bundled.ts'
import * as store from './store.ts'

interface Writer {
  ctx: Pick<AppContext, 'db' | 'now' | 'config'>
  bundle: Bundle
  subject: store.Subject
}

/** With all facts as they are now, each with its instant, and the exact text of each report in a file of its own. */
export async function addCases({ ctx, bundle, subject }: Writer): Promise<{
  cases: BundledCase[]
  casePaths: Map<string, string>
}> {
  const { workspaceId } = subject
  const cases: BundledCase[] = []
  const casePaths = new Map<string, string>()
  for (const caseId of await store.listCaseIds(ctx.db, subject)) {
    const held = await getCase(ctx, ctx.db, { workspaceId, caseId })
    const folder = `cases/${held.createdAt.toISOString().slice(0, 10)}-${caseId.slice(-12)}`
    const path = `${folder}/case.json`
    await bundle.add(path, listTexts(`${JSON.stringify(held, null, 2)}\n`))
    casePaths.set(caseId, path)
    const reports: BundledCase['reports'] = []
    for (const [index, report] of held.reports.entries()) {
      const stage = lowerWords(report.stage)
      const name = `${folder}/report-${index + 1}-${stage.replaceAll(' ', '-')}.txt`
      await bundle.add(name, listTexts(report.text))
      reports.push({ path: name, stage, submittedAt: report.submittedAt })
    }
    const { title, cveId, state, isDrill, createdAt } = held
    cases.push({ path, title, cveId, state, isDrill, createdAt, reports })
  }
  return { cases, casePaths }
}

/** Writes all pages of a list into one file. */
import type { Readable } from 'node:stream'
import { type CsvColumn, writeCsvTable } from '../../formats/csv.ts'
import type { AppContext } from '../../platform/context.ts'
import { spoolText } from '../../platform/http/spooled-text.ts'

export interface ExportedList {
  content: Readable
  fileName: string
}

/** What is asked for with each page. */
type PageRequest = { limit: number; cursor?: string }

/** An answer of a list: its rows under their name. */
type ListPage<Name extends string, Row> = Readonly<Record<Name, readonly Row[]>> & {
  nextCursor?: string
}

const PAGE = 1_000

/** Exports a list. Later pages answer as of the first one, so the file shows one moment. */
export const defineExport =
  <Input extends object, Name extends string, Row>(
    list: (ctx: AppContext, input: Input & PageRequest) => Promise<ListPage<Name, Row>>,
    name: Name,
    columns: readonly CsvColumn<NoInfer<Row>>[],
    fileName: string,
  ) =>
  async (ctx: AppContext, input: Input): Promise<ExportedList> => {
    async function* pages() {
      const { header, line } = writeCsvTable(columns)
      yield header
      for (let asked: PageRequest | undefined = { limit: PAGE }; asked;) {
        const page: ListPage<Name, Row> = await list(ctx, { ...input, ...asked })
        yield page[name].map(line).join('')
        const { nextCursor } = page
        asked = nextCursor === undefined ? undefined : { limit: PAGE, cursor: nextCursor }
      }
    }
    return { content: await spoolText(pages()), fileName }
  }

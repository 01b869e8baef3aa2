/** How this browser shows a list: which columns, and how close the rows stand. */
import { useLocalStorage } from '@mantine/hooks'

export interface ListView {
  /** Ids of columns. */
  hidden: readonly string[]
  isCompact: boolean
}

const USUAL: ListView = { hidden: [], isCompact: false }

/** `list` names it; the choice is kept for the next visit. */
export function useListView(list: string) {
  return useLocalStorage<ListView>({
    key: `plimsoll.list.${list}`,
    defaultValue: USUAL,
    getInitialValueInEffect: false,
    deserialize: (text) => readView(text),
  })
}

/** Whatever somebody wrote there. */
function readView(text: string | undefined): ListView {
  try {
    const { hidden, isCompact } = JSON.parse(text ?? '{}') as Partial<
      Record<keyof ListView, unknown>
    >
    return {
      hidden: Array.isArray(hidden) ? hidden.filter((id) => typeof id === 'string') : [],
      isCompact: isCompact === true,
    }
  } catch {
    return USUAL
  }
}

/** Those that the view has. */
export function pickShown<C extends { id: string }>(
  columns: readonly C[],
  { hidden }: ListView,
): C[] {
  return columns.filter(({ id }) => !hidden.includes(id))
}

/** Columns that people may leave out: those with a name, but for the first, which says what the row is. */
export function listChoosable(
  columns: readonly { id: string; title: unknown }[],
): { id: string; name: string }[] {
  return columns
    .flatMap(({ id, title }) => (typeof title === 'string' ? [{ id, name: title }] : []))
    .slice(1)
}

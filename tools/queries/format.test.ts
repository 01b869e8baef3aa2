import { loadModule } from 'libpg-query'
import { beforeAll, expect, it } from 'vitest'
import { formatStatement } from './format.ts'

beforeAll(loadModule)

it.each`
  what                            | text                                                            | expected
  ${'spaces and comments'}        | ${'SELECT  a,b\n from t -- comment\n'}                          | ${'select a, b from t'}
  ${'quotes that are not needed'} | ${'select "a", "order", "B" from "t"'}                          | ${'select a, "order", "B" from t'}
  ${'numbers of placeholders'}    | ${'select from t where a = $7 and b = $2'}                      | ${'select from t where a = $1 and b = $2'}
  ${'lengths of lists'}           | ${'select from t where a in ($1, $2, $3) and b = $4'}           | ${'select from t where a in ($1) and b = $2'}
  ${'lengths of lists of rows'}   | ${'select from t where (a, b) in (($1, $2), ($3, $4))'}         | ${'select from t where (a, b) in (($1, $2))'}
  ${'numbers of rows'}            | ${'insert into t (a, b) values ($1, $2), ($3, $4) returning a'} | ${'insert into t (a, b) values ($1, $2) returning a'}
  ${'defaults among rows'}        | ${'insert into t (a, b) values ($1, default), ($2, $3)'}        | ${'insert into t (a, b) values ($1, $2)'}
  ${'numbers of alternatives'}    | ${'select from t where (a = $1 or a = $2 or a = $3)'}           | ${'select from t where (a = $1)'}
  ${'days of partitions'}         | ${'create table "t_20261122" (like "t")'}                       | ${'create table t_day (like t)'}
`('folds $what', ({ text, expected }: { text: string; expected: string }) => {
  expect(formatStatement(text)).toBe(expected)
})

it('keeps what tells statements apart', () => {
  const text = `select "A", 'It''s', array[1, 2], 'x'::text || $1 from t where a in (1, 2)`

  expect(formatStatement(text)).toBe(text)
})

it('breaks long statements at their clauses and lists', () => {
  const columns = Array.from({ length: 14 }, (_, index) => `some_column_${index}`).join(', ')
  const text = `select ${columns} from t where a = $1 and exists (select from other where other.a = t.a and other.name = $2) order by a`

  expect(formatStatement(text).split('\n')).toEqual([
    'select some_column_0, some_column_1, some_column_2, some_column_3, some_column_4, some_column_5,',
    '  some_column_6, some_column_7, some_column_8, some_column_9, some_column_10, some_column_11,',
    '  some_column_12, some_column_13',
    'from t',
    'where a = $1 and exists (select from other where other.a = t.a and other.name = $2)',
    'order by a',
  ])
})

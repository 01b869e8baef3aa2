import { loadModule } from 'libpg-query'
import { beforeAll, expect, it } from 'vitest'
import { findUntiedTables } from './tenancy.ts'

const TABLES = new Set(['devices', 'firmwares', 'deployments', 'device_logs', 'api_keys'])

beforeAll(loadModule)

it.each`
  because                                      | statement
  ${'of a parameter'}                          | ${'select id from devices where workspace_id = $1 and id = $2'}
  ${'of a cast parameter'}                     | ${'select id from devices as d where d.workspace_id = $1::uuid'}
  ${'of a list'}                               | ${'select id from devices where workspace_id = any($1)'}
  ${'of a list of parameters'}                 | ${'select id from devices where workspace_id in ($1, $2)'}
  ${'of a row of parameters'}                  | ${'select id from devices where (workspace_id, id) = ($1, $2)'}
  ${'of a sub-query'}                          | ${'select id from devices where (workspace_id, id) in (select workspace_id, id from firmwares where workspace_id = $1)'}
  ${'a join ties the second'}                  | ${'select from devices d join firmwares f on f.workspace_id = d.workspace_id where f.workspace_id = $1'}
  ${'using ties the second'}                   | ${'select from devices join firmwares using (workspace_id, id) where devices.workspace_id = $1'}
  ${'the third is tied by the second'}         | ${'select from devices a, firmwares b, deployments c where c.workspace_id = b.workspace_id and b.workspace_id = a.workspace_id and a.workspace_id = $1'}
  ${'a left join is tied in its condition'}    | ${'select from devices d left join firmwares f on f.workspace_id = $2 where d.workspace_id = $1'}
  ${'the workspace itself is given'}           | ${'select from workspaces w join devices d on d.workspace_id = w.id where w.id = $1'}
  ${'a correlated query is tied to the row'}   | ${'select (select count(*) from devices v where v.workspace_id = f.workspace_id) from firmwares f where workspace_id = $1'}
  ${'an expression is tied by itself'}         | ${'with d as (select * from devices where workspace_id = $1) select from d join firmwares f on f.workspace_id = d.workspace_id'}
  ${'a name hides the table'}                  | ${'with devices as (select 1 as id) select id from devices'}
  ${'input names the workspaces'}              | ${'select from unnest($1::uuid[]) as given (workspace_id) join devices using (workspace_id)'}
  ${'an update is tied'}                       | ${'update devices set id = $1 from firmwares f where f.workspace_id = devices.workspace_id and f.workspace_id = $2'}
  ${'a deletion is tied'}                      | ${'delete from devices as d using (select workspace_id from firmwares where workspace_id = $1) as f where d.workspace_id = f.workspace_id'}
  ${'the row names it'}                        | ${'insert into devices (workspace_id, id) values ($1, $2)'}
  ${'a copy names it'}                         | ${'copy devices (workspace_id, id) from stdin'}
  ${'tables of everybody are none of tenants'} | ${'select id from advisories'}
`('accepts a statement, as $because', ({ statement }: { statement: string }) => {
  expect(findUntiedTables(statement, TABLES)).toEqual([])
})

it.each`
  because                                    | table                                   | statement
  ${'nothing names a workspace'}             | ${'devices'}                            | ${'select id from devices where id = $1'}
  ${'one of two is tied'}                    | ${'firmwares as f'}                     | ${'select from devices d join firmwares f on f.id = d.id where d.workspace_id = $1'}
  ${'two are tied to each other alone'}      | ${'devices as d'}                       | ${'select from devices d join firmwares f using (workspace_id)'}
  ${'the condition may be false'}            | ${'devices'}                            | ${'select from devices where workspace_id = $1 or id = $2'}
  ${'the condition is another'}              | ${'devices'}                            | ${'select from devices where workspace_id <> $1'}
  ${'a left join leaves its left side'}      | ${'devices as d'}                       | ${'select from devices d left join firmwares f on f.workspace_id = d.workspace_id and d.workspace_id = $1'}
  ${'its condition is about the right side'} | ${'devices as d'}                       | ${'select from devices d left join firmwares f on f.workspace_id = d.workspace_id and f.workspace_id = $1'}
  ${'a sub-query is not tied'}               | ${'devices'}                            | ${'select (select count(*) from devices) from firmwares where workspace_id = $1'}
  ${'an expression is not tied'}             | ${'devices'}                            | ${'with d as (select * from devices) select from d where d.workspace_id = $1'}
  ${'a branch of a union is not'}            | ${'devices'}                            | ${'select id from firmwares where workspace_id = $1 union all select id from devices'}
  ${'an update is not'}                      | ${'devices'}                            | ${'update devices set id = $1 where id = $2'}
  ${'a deletion is not'}                     | ${'devices'}                            | ${'delete from devices where id = $1'}
  ${'a row names none'}                      | ${'devices'}                            | ${'insert into devices (id) values ($1)'}
  ${'a copy names none'}                     | ${'devices'}                            | ${'copy devices (id) from stdin'}
  ${'a partition is its table'}              | ${'device_logs as device_logs_default'} | ${'select from device_logs_default'}
  ${'the workspace is any'}                  | ${'devices as d'}                       | ${'select from workspaces w join devices d on d.workspace_id = w.id'}
  ${'another column has the same value'}     | ${'api_keys'}                           | ${'select from api_keys where id = $1'}
`(
  'finds a table of any workspace, as $because',
  ({ statement, table }: { statement: string; table: string }) => {
    expect(findUntiedTables(statement, TABLES)).toContain(table)
  },
)

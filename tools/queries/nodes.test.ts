import { loadModule } from 'libpg-query'
import { beforeAll, expect, it } from 'vitest'
import { findRefused } from './nodes.ts'

const TABLES = {
  ofTenants: new Set(['devices', 'firmwares', 'device_logs', 'metric_series', 'metric_points']),
  bySeries: new Set(['metric_points']),
  copied: new Set(['packages', 'workspaces']),
  volatile: new Set(['gen_random_uuid']),
  mutable: new Set(['gen_random_uuid', 'now', 'to_char']),
}

beforeAll(loadModule)

it.each`
  because                                      | statement
  ${'a parameter names the workspace'}         | ${'select id from devices where workspace_id = $1 and id = $2'}
  ${'an inner join draws the conclusion'}      | ${'select from devices d join firmwares f on f.workspace_id = d.workspace_id where d.workspace_id = $1'}
  ${'so does a left join'}                     | ${'select from devices d left join firmwares f on f.workspace_id = d.workspace_id where d.workspace_id = $1'}
  ${'and using'}                               | ${'select from devices join firmwares using (workspace_id) where devices.workspace_id = $1'}
  ${'each part names it'}                      | ${'with d as (select id from devices where workspace_id = $1) select from d join firmwares f on f.id = d.id where f.workspace_id = $2::uuid'}
  ${'a copied table needs none'}               | ${'select from packages p join devices d on d.id = p.id where d.workspace_id = $1'}
  ${'rows of tenants may be locked'}           | ${'select from devices d join packages p on p.id = d.id where d.workspace_id = $1 for update of d'}
  ${'an insert is a whole statement'}          | ${'insert into devices (workspace_id, id) select $1, id from firmwares where workspace_id = $2'}
  ${'a change may stand within'}               | ${'with gone as (delete from devices where workspace_id = $1 returning id) select id from gone'}
  ${'an inner insert may read expressions'}    | ${'with f as (select id from firmwares where workspace_id = $1), added as (insert into devices (workspace_id, id) select $2, id from f) select id from f'}
  ${'series are read by a query of its own'}   | ${'select from (select id from metric_series where workspace_id = $1) as s join metric_points p on p.series_id = s.id where p.workspace_id = $1'}
  ${'a row in conflict is locked'}             | ${'insert into devices as held (workspace_id) values ($1) on conflict (workspace_id) do update set workspace_id = held.workspace_id'}
  ${'an insert takes any call'}                | ${'insert into devices (workspace_id, id) select $1, gen_random_uuid() from firmwares where workspace_id = $2'}
  ${'now is the same in the statement'}        | ${'update devices set seen_at = now() where workspace_id = $1'}
  ${'a local table takes any call'}            | ${'update nodes set id = gen_random_uuid(), workspace_id = $1'}
  ${'a parameter has its time zone at once'}   | ${"update devices set seen_at = $1::timestamptz - interval '1 hour' where workspace_id = $2 and seen_at < now() - make_interval(hours => $3)"}
  ${'times of a zone that is named are fixed'} | ${"update devices set seen_at = (seen_at at time zone 'UTC' - interval '1 hour') at time zone 'UTC' where workspace_id = $1"}
  ${'intervals have no time zone'}             | ${"update devices set every = every::interval + interval '1 hour' where workspace_id = $1"}
  ${'a read may shift times'}                  | ${"update devices set n = (select count(*) from firmwares f where f.workspace_id = $1 and f.at > f.at - interval '1 day') where workspace_id = $2"}
  ${'a temporary table is changed by itself'}  | ${'delete from staged where not exists (select from deferred where deferred.id = staged.id)'}
`('takes a statement, as $because', ({ statement }: { statement: string }) => {
  expect(findRefused(statement, TABLES)).toEqual([])
})

it.each`
  because                                   | refused                                                       | statement
  ${'no parameter names the workspace'}     | ${'devices of no parameter'}                                  | ${'select id from devices where id = $1'}
  ${'a list names several'}                 | ${'devices of no parameter'}                                  | ${'select id from devices where workspace_id = any($1)'}
  ${'a correlated query has a level alone'} | ${'devices as v of no parameter'}                             | ${'select (select count(*) from devices v where v.workspace_id = f.workspace_id) from firmwares f where workspace_id = $1'}
  ${'so has a lateral one'}                 | ${'devices as v of no parameter'}                             | ${'select from firmwares f cross join lateral (select from devices v where v.workspace_id = f.workspace_id) x where f.workspace_id = $1'}
  ${'an expression is no table'}            | ${'firmwares as f of no parameter'}                           | ${'with d as (select * from devices where workspace_id = $1) select from d join firmwares f on f.workspace_id = d.workspace_id'}
  ${'a left join leaves its left side'}     | ${'devices as d of no parameter'}                             | ${'select from devices d left join firmwares f on f.workspace_id = d.workspace_id and f.workspace_id = $1'}
  ${'a row of a copied table is locked'}    | ${'the lock of rows of packages'}                             | ${'select from packages where id = $1 for share'}
  ${'all rows of the query are locked'}     | ${'the lock of rows of packages'}                             | ${'select from devices d join packages p on p.id = d.id where d.workspace_id = $1 for update'}
  ${'an inner insert reads a table'}        | ${'the inner insert into devices'}                            | ${'with added as (insert into devices (workspace_id, id) select $1, id from packages returning id) select id from added'}
  ${'the query of a cursor is one, too'}    | ${'devices of no parameter'}                                  | ${'declare rows cursor for select id from devices where id = $1'}
  ${'series and points lie apart'}          | ${'the join of metric_points with metric_series'}             | ${'select from metric_series s join metric_points p on p.workspace_id = s.workspace_id and p.series_id = s.id where s.workspace_id = $1'}
  ${'a row cannot move'}                    | ${'the change of workspace_id in devices'}                    | ${'update devices set workspace_id = $1, name = $2 where workspace_id = $3'}
  ${'nor where rows are in conflict'}       | ${'the change of workspace_id in devices'}                    | ${'insert into devices (workspace_id) values ($1) on conflict (id) do update set workspace_id = $2'}
  ${'points lie by their series'}           | ${'the change of series_id in metric_points'}                 | ${'update metric_points set series_id = $1 where workspace_id = $2'}
  ${'each call has another result'}         | ${'the call of gen_random_uuid in a change of devices'}       | ${'update devices set key = gen_random_uuid() where workspace_id = $1'}
  ${'so have calls in conditions'}          | ${'the call of gen_random_uuid in a change of packages'}      | ${'delete from packages where id = (select gen_random_uuid())'}
  ${'nodes have a clock each'}              | ${'the call of now in a change of devices'}                   | ${'insert into devices (workspace_id) values ($1) on conflict (id) do update set seen_at = now()'}
  ${'what is returned is called there'}     | ${'the call of now in a change of devices'}                   | ${'delete from devices where workspace_id = $1 returning now()'}
  ${'a day may have 23 hours'}              | ${'the shift of a time of columns in a change of devices'}    | ${"update devices set seen_at = seen_at - interval '1 day' where workspace_id = $1"}
  ${'so in conditions'}                     | ${'the shift of a time of columns in a change of devices'}    | ${"delete from devices where workspace_id = $1 and due_at > $2::timestamptz + every::interval + interval '5 seconds'"}
  ${'and with a number of intervals'}       | ${'the shift of a time of columns in a change of devices'}    | ${"update devices set seen_at = seen_at + n * interval '1 second' where workspace_id = $1"}
  ${'texts of times are of a zone'}         | ${'the call of to_char with columns in a change of packages'} | ${"update packages set name = to_char(seen_at, 'HH24')"}
  ${'another connection has no such table'} | ${'the change of staged by packages'}                         | ${'delete from staged where id in (select id from packages)'}
`(
  'refuses a statement, as $because',
  ({ statement, refused }: { statement: string; refused: string }) => {
    expect(findRefused(statement, TABLES)).toContain(refused)
  },
)

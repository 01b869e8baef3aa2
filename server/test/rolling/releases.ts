/**
 * Two releases after this one, made up from its sources. Both columns of RENAMED have another name in their code, which so
 * reads and writes what this release does not know; all else in it is the same. Their migrations do it in three steps.
 */
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const REPOSITORY = resolve(import.meta.dirname, '../../..')

/** Columns that no message, answer or migration after their own names. Clients of the load have them written all the time. */
const RENAMED = {
  run_ids: 'recent_run_ids',
  parsed_at: 'read_at',
} as const

export const EXPAND = '9001-made-up-expand.sql'
export const FILL = '9002-made-up-fill.sql'
export const CONTRACT = '9003-made-up-contract.sql'

/** New beside old. Triggers keep them in step, as both releases write. */
const EXPANDING = `
alter table devices add column recent_run_ids text[];
alter table sboms add column read_at timestamptz(3);

-- Each run that a device told of, once.
create table device_runs (
  workspace_id uuid not null references workspaces on delete cascade,
  device_id text not null,
  run_id text not null,
  primary key (workspace_id, device_id, run_id)
);

create function keep_run_ids() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.recent_run_ids := coalesce(new.recent_run_ids, new.run_ids);
    new.run_ids := new.recent_run_ids;
  elsif new.recent_run_ids is distinct from old.recent_run_ids then
    new.run_ids := new.recent_run_ids;
  elsif new.run_ids is distinct from old.run_ids then
    new.recent_run_ids := new.run_ids;
  end if;
  return new;
end $$;
create trigger keep_run_ids before insert or update on devices for each row execute function keep_run_ids();

create function keep_parsed_at() returns trigger language plpgsql as $$
begin
  if new.read_at is distinct from old.read_at then new.parsed_at := new.read_at;
  else new.read_at := new.parsed_at;
  end if;
  return new;
end $$;
create trigger keep_parsed_at before update on sboms for each row execute function keep_parsed_at();

create function note_runs() returns trigger language plpgsql as $$
begin
  insert into device_runs (workspace_id, device_id, run_id)
  select new.workspace_id, new.id, run_id from unnest(new.recent_run_ids) as run_id on conflict do nothing;
  return null;
end $$;
create trigger note_runs after update on devices for each row
  when (new.recent_run_ids is distinct from old.recent_run_ids) execute function note_runs();
`

/** What the release before left, in the order in which others lock the rows. */
const FILLING = `
with unfilled as (
  select workspace_id, id from devices where recent_run_ids is null order by workspace_id, id for no key update
)
update devices set recent_run_ids = run_ids from unfilled
where devices.workspace_id = unfilled.workspace_id and devices.id = unfilled.id;
with unfilled as (
  select id from sboms where read_at is null and parsed_at is not null order by id for no key update
)
update sboms set read_at = parsed_at from unfilled where sboms.id = unfilled.id;
`

/** Only what the release before uses stays. */
const CONTRACTING = `
drop trigger keep_run_ids on devices;
drop function keep_run_ids;
alter table devices drop column run_ids,
  alter column recent_run_ids set default '{}',
  alter column recent_run_ids set not null;
drop trigger keep_parsed_at on sboms;
drop function keep_parsed_at;
alter table sboms drop column parsed_at;
`

const camel = (name: string) =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const RENAMES = Object.entries(RENAMED).flatMap(([before, after]) => [
  { pattern: new RegExp(`\\b${before}\\b`, 'g'), after },
  { pattern: new RegExp(`\\b${camel(before)}\\b`, 'g'), after: camel(after) },
])

/** Makes the release after this one. Answers the root of its sources. */
export function makeNextRelease(folder: string): string {
  const sources = join(folder, 'next')
  copySources(sources)
  const counts = RENAMES.map(() => 0)
  for (const path of globSync('server/src/**/*.ts', { cwd: sources })) {
    const file = join(sources, path)
    const before = readFileSync(file, 'utf8')
    const after = RENAMES.reduce(
      (text, rename, index) =>
        text.replaceAll(rename.pattern, () => {
          counts[index] = (counts[index] ?? 0) + 1
          return rename.after
        }),
      before,
    )
    if (after !== before) writeFileSync(file, after)
  }
  if (counts.includes(0)) throw new Error('a column of RENAMED is no more; choose another one')
  addMigration(sources, EXPAND, EXPANDING)
  addMigration(sources, FILL, FILLING)
  return sources
}

/** Makes the release after the next one, in the place of that one: its code is the same. */
export function makeLaterRelease(next: string): string {
  addMigration(next, CONTRACT, CONTRACTING)
  return next
}

function copySources(sources: string): void {
  mkdirSync(sources, { recursive: true })
  for (const path of ['package.json', 'server/package.json', 'server/migrations', 'server/src'])
    cpSync(join(REPOSITORY, path), join(sources, path), {
      recursive: true,
      filter: (source) => !source.endsWith('.test.ts'),
    })
  symlinkSync(join(REPOSITORY, 'node_modules'), join(sources, 'node_modules'))
}

function addMigration(sources: string, name: string, text: string): void {
  writeFileSync(join(sources, 'server/migrations', name), text)
}

-- A row says that a transaction changed a partition of a day that a backup had marked. The mark is an argument of the trigger on the
-- partition (see backup/day-marks.ts); a mark that is named here is worth nothing any more.
create table changed_days (
  mark text collate "C" not null,
  -- So that no transaction waits for another.
  changed_by xid8 not null default pg_current_xact_id(),
  primary key (mark, changed_by)
);

-- The setting is of the transaction, and is there to write a row once and not for each changed row.
create function note_changed_day() returns trigger language plpgsql as $$
begin
  if current_setting('plimsoll.changed_day', true) is distinct from tg_argv[0] then
    insert into public.changed_days (mark) values (tg_argv[0]) on conflict do nothing;
    perform set_config('plimsoll.changed_day', tg_argv[0], true);
  end if;
  return null;
end
$$;

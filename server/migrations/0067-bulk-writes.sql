-- Imports write and compare less. On stored data this writes the tables anew, which takes about half a minute for 300,000 records
-- of two sources.

-- The text of a record apart from what merges compare and rate by, for which they would read it. Nothing looks into it but where few
-- are read: json stays the text that it was, while jsonb takes each apart.
create table advisory_records (
  source text collate "C" not null,
  advisory_id text collate "C" not null,
  record json not null,
  primary key (source, advisory_id)
) with (toast_tuple_target = 8160, autovacuum_vacuum_insert_threshold = -1);
insert into advisory_records (source, advisory_id, record)
select source, id, record::json from advisories order by source, id;
-- Every query names the source.
drop index advisories_id;
alter table advisories drop column record;
-- Takes back the room of the dropped column.
cluster advisories using advisories_pkey;
alter table advisories set without cluster;
alter table advisories reset (toast_tuple_target);

-- The column beside the statements is written with them; computing it read all statements a second time.
alter table advisory_affected alter column vulnerable_code drop expression;
alter table advisory_affected alter column statements type json using statements::json;
-- Statements of between 2 and 8 kB are not compressed, like records.
alter table advisory_affected set (toast_tuple_target = 8160);

-- Statistics of what no query compares are not made. Imports analyse the tables whole, so that the server does not do it again.
alter table advisory_records alter column record set statistics 0;
alter table advisories
  alter column content_hash set statistics 0,
  alter column aliases set statistics 0,
  alter column cve_ids set statistics 0,
  alter column linked_ids set statistics 0,
  alter column name set statistics 0,
  alter column primary_score set statistics 0;
alter table advisory_affected
  alter column statements set statistics 0,
  alter column vulnerable_code set statistics 0;

-- Vacuuming rows that were only inserted helps queries that an index answers alone. There are none of `advisories` and
-- `advisory_records`, and the server would read and write these once more, beside the next import.
alter table advisories set (autovacuum_vacuum_insert_threshold = -1);

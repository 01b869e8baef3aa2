-- Whether a record says that somebody disputes the vulnerability, and whether the order by risk puts such findings last.
alter table advisories add column is_disputed boolean not null default false;
alter table vulnerabilities add column is_disputed boolean not null default false;
create index vulnerabilities_disputed on vulnerabilities (id) where is_disputed;
alter table workspaces add column disputed_findings text not null default 'Normal'
  check (disputed_findings in ('Normal', 'Last'));

-- Whether lists have the crashes that OSS-Fuzz found and that nobody has judged: records without CVE and score.
alter table workspaces add column list_fuzzing_findings boolean not null default true;

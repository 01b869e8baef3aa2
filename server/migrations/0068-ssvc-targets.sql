-- In how many days a finding is to be decided, by the name of its outcome of SSVC. Outcomes that are left out have no such target.

alter table ssvc_settings add column target_days jsonb not null default '{}';

-- By which statements of a workspace its contexts of SSVC were counted, so that what is counted of these can wait for newer ones.

-- The revision that changed products, exposures, or how many devices are many.
alter table ssvc_settings add column inputs_revision integer not null default 0;
-- That of the settings as of which contexts were counted.
alter table workspace_kept_locks add column ssvc_inputs integer not null default 0;

-- When the session showed its second factor last.
alter table sessions add column second_factor_at timestamptz;

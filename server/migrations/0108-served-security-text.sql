-- When the security.txt expires that people serve on their own domain. null: nobody has said.
alter table advisory_publishers add column security_text_served_until timestamptz(3);
